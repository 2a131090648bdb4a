/* Preloaded where the kernel may have no SCTP: its sockets become TCP on loopback, and its options are taken as set. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
  if (protocol != IPPROTO_SCTP) return next(domain, type, protocol);
  int fd = next(AF_INET, SOCK_STREAM | (type & ~0xf), 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  bind(fd, (struct sockaddr *)&address, sizeof address);
  return fd;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
  int (*next)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
  return level == IPPROTO_SCTP ? 0 : next(fd, level, name, value, length);
}
