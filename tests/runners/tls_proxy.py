"""TLS before a server that has none, with a certificate that nobody has signed.

    tls_proxy.py PORT DELAY_S      takes DELAY_S for each handshake; says its own port on descriptor 3
"""

import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time


def context():
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key", f"{folder}/certificate"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-keyout", key, "-out", certificate, "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(certificate, key)
        return made


def copy(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client, tls, port, delay):
    time.sleep(delay)
    try:
        inside = tls.wrap_socket(client, server_side=True)
    except OSError:
        return  # the client did not trust us
    outside = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=copy, args=(inside, outside), daemon=True).start()
    copy(outside, inside)


def main():
    port, delay = int(sys.argv[1]), float(sys.argv[2])
    tls = context()
    listener = socket.create_server(("127.0.0.1", 0))
    os.write(3, f"{listener.getsockname()[1]}\n".encode())
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, tls, port, delay), daemon=True).start()


main()
