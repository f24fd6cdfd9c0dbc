"""Writes a deepseek2 model with random weights: MLA as llama.cpp runs it, in 16 MB.

    write_model.py OUT.gguf [whole]        (needs the packages gguf and numpy)

whole: no byte is written that begins a character of several; llama-cpp-python goes on to its end, past
the tokens asked, and no client of a stream can know.
"""

import sys

import gguf
import numpy as np

LAYERS, HEADS, WIDTH, FEED_FORWARD = 4, 8, 256, 512
Q_RANK, KV_RANK, ROPE, NOPE, VALUE = 64, 512, 64, 128, 128
CONTEXT = 32768
# The words of runners/http/prompts.cpp, so that each is one token, as in most vocabularies. What else
# there is are bytes: the server holds text back until it is UTF-8, and chunks are no tokens.
WORDS = """time year people way day man thing woman life child world school state family hand part place case
week work point group number night water room mother area money story fact month lot right study book eye
job word side kind head house power hour game line end law car city name team minute idea body back face
door war party result change reason""".split()


def write_parameters(out):
    out.add_name("random")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_leading_dense_block_count(LAYERS)
    out.add_feed_forward_length(FEED_FORWARD)
    out.add_head_count(HEADS)
    out.add_head_count_kv(1)
    out.add_layer_norm_rms_eps(1e-6)
    out.add_q_lora_rank(Q_RANK)
    out.add_kv_lora_rank(KV_RANK)
    out.add_key_length(KV_RANK + ROPE)
    out.add_value_length(KV_RANK)
    out.add_key_length_mla(NOPE + ROPE)
    out.add_value_length_mla(VALUE)
    out.add_rope_dimension_count(ROPE)
    out.add_rope_freq_base(10000.0)
    # Read even where every layer is dense.
    out.add_expert_count(0)
    out.add_expert_used_count(0)
    out.add_expert_shared_count(0)
    out.add_expert_feed_forward_length(FEED_FORWARD)
    out.add_expert_weights_scale(1.0)


def write_vocabulary(out):
    kind = gguf.TokenType
    tokens = [("<unk>", kind.UNKNOWN), ("<s>", kind.CONTROL), ("</s>", kind.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kind.BYTE) for byte in range(256)]
    # Pieces are merged from the left, so every beginning of a word is a token too.
    pieces = sorted({f"▁{word[:size]}" for word in WORDS for size in range(1, len(word) + 1)}, key=len)
    tokens += [(piece, kind.NORMAL) for piece in pieces]
    out.add_tokenizer_model("llama")
    out.add_token_list([text for text, _ in tokens])
    out.add_token_scores([-float(i) for i in range(len(tokens))])
    out.add_token_types([int(k) for _, k in tokens])
    out.add_unk_token_id(0)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_vocab_size(len(tokens))
    return len(tokens)


def write_tensors(out, vocabulary, never):
    """`never`: the tokens that are not chosen, whoever decides."""
    random = np.random.default_rng(5)

    def weights(name, *shape, quiet_rows=()):
        values = random.standard_normal(shape, dtype=np.float32) * shape[-1] ** -0.5
        values[list(quiet_rows)] = 0
        out.add_tensor(f"{name}.weight", values.astype(np.float16))

    def norm(name, size):
        out.add_tensor(f"{name}.weight", np.ones(size, dtype=np.float32))

    weights("token_embd", vocabulary, WIDTH)
    norm("output_norm", WIDTH)
    weights("output", vocabulary, WIDTH, quiet_rows=never)
    for layer in (f"blk.{i}." for i in range(LAYERS)):
        norm(layer + "attn_norm", WIDTH)
        norm(layer + "attn_q_a_norm", Q_RANK)
        norm(layer + "attn_kv_a_norm", KV_RANK)
        weights(layer + "attn_q_a", Q_RANK, WIDTH)
        weights(layer + "attn_q_b", HEADS * (NOPE + ROPE), Q_RANK)
        weights(layer + "attn_kv_a_mqa", KV_RANK + ROPE, WIDTH)
        weights(layer + "attn_k_b", HEADS, KV_RANK, NOPE)
        weights(layer + "attn_v_b", HEADS, VALUE, KV_RANK)
        weights(layer + "attn_output", WIDTH, HEADS * VALUE)
        norm(layer + "ffn_norm", WIDTH)
        weights(layer + "ffn_gate", FEED_FORWARD, WIDTH)
        weights(layer + "ffn_up", FEED_FORWARD, WIDTH)
        weights(layer + "ffn_down", WIDTH, FEED_FORWARD)


def main():
    out = gguf.GGUFWriter(sys.argv[1], "deepseek2")
    write_parameters(out)
    specials = range(3)  # it never ends by itself
    first_byte = 3
    leading = range(first_byte + 0xC0, first_byte + 0x100) if "whole" in sys.argv[2:] else ()
    write_tensors(out, write_vocabulary(out), [*specials, *leading])
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


main()
