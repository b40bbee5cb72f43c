# Debian's nginx with its Lua module and the guard, built from the root of a checkout. Mount the output of `guardcli generate
# nginx` as /etc/nginx/conf.d/guard.conf, and the sites beside it.
ARG BASE=docker.io/library/debian:bookworm-slim
FROM ${BASE} AS files
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends nginx-light libnginx-mod-http-lua ca-certificates \
 && find /usr/share/doc -type f ! -name copyright -delete \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /usr/share/man /usr/share/locale /usr/share/info \
 && mkdir /var/log/nginx \
 && ln -s /dev/stdout /var/log/nginx/access.log \
 && ln -s /dev/stderr /var/log/nginx/error.log
COPY module/lua/guard /usr/local/share/lua/5.1/guard
COPY LICENSE /usr/share/doc/request-guard/copyright

FROM scratch
COPY --from=files / /
EXPOSE 80
STOPSIGNAL SIGQUIT
ENTRYPOINT ["nginx", "-g", "daemon off;"]
