#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bench {

// Processes of this host that listen on a TCP port, as far as they can be seen (one's own, or all
// as root; not those of another container).
std::vector<pid_t> listeners(int port);

bool descends_from(pid_t process, pid_t ancestor);
std::string process_name(pid_t process);  // empty: it is gone

// Port of http://host:port/..., or the scheme's own.
int port_of(const std::string& url);

}  // namespace bench
