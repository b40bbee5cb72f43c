/** Log lines of real servers, for tests: nginx 1.22, Apache 2.4, Caddy 2.11, Traefik 3.7. Latin-1. */

export const logs = {
  nginx: [
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /.env HTTP/1.1" 200 3 "https://shop.example.com/cart?a=\\x22b\\x22" "Mozilla/5.0 (X11; \\x22q\\x22 \\x5C back)"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /caf\\xC3\\xA9/\\xFF%2e%2e%2f.env?x=\\x22y\\x22&z=\\x5Cx41 HTTP/1.1" 404 153 "https://shop.example.com/cart?a=\\x22b\\x22" "Mozilla/5.0 (X11; \\x22q\\x22 \\x5C back)"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET http://other.example/abs?q HTTP/1.1" 404 153 "https://shop.example.com/cart?a=\\x22b\\x22" "Mozilla/5.0 (X11; \\x22q\\x22 \\x5C back)"',
    '127.0.0.1 - al \\x22x\\x22 [y] \\x5Cb [22/Nov/2026:13:50:09 +0000] "GET / HTTP/1.1" 200 3 "https://shop.example.com/cart?a=\\x22b\\x22" "Mozilla/5.0 (X11; \\x22q\\x22 \\x5C back)"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /a b/c HTTP/1.1" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /\\x1B[31m HTTP/1.1" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xFC\\x03\\x03\\x22abc\\x00" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "\\x03\\x00\\x00/*\\xE0\\x00\\x00\\x00\\x00\\x00Cookie: mstshash=Administr" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "SSH-2.0-Go" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "" 400 0 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "PRI * HTTP/2.0" 400 157 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /old" 404 153 "-" "-"',
  ],
  nginxJson: [
    '{"time":"2026-11-22T13:50:09+00:00","remote_addr":"127.0.0.1","host":"shop.example.com","request":"GET /caf\xc3\xa9/\xff%2e%2e%2f.env?x=\\"y\\"&z=\\\\x41 HTTP/1.1","request_method":"GET","request_uri":"/caf\xc3\xa9/\xff%2e%2e%2f.env?x=\\"y\\"&z=\\\\x41","status":404,"http_referer":"https://shop.example.com/cart?a=\\"b\\"","http_user_agent":"Mozilla/5.0 (X11; \\"q\\" \\\\ back)"}',
    '{"time":"2026-11-22T13:50:09+00:00","remote_addr":"127.0.0.1","host":"other.example","request":"GET http://other.example/abs?q HTTP/1.1","request_method":"GET","request_uri":"/abs?q","status":404,"http_referer":"https://shop.example.com/cart?a=\\"b\\"","http_user_agent":"Mozilla/5.0 (X11; \\"q\\" \\\\ back)"}',
    '{"time":"2026-11-22T13:50:09+00:00","remote_addr":"127.0.0.1","host":"","request":"GET /a b/c HTTP/1.1","request_method":"","request_uri":"","status":400,"http_referer":"","http_user_agent":""}',
    '{"time":"2026-11-22T13:50:09+00:00","remote_addr":"127.0.0.1","host":"","request":"\\u0016\\u0003\\u0001\\u0002\\u0000\\u0001\\u0000\\u0001\xfc\\u0003\\u0003\\"abc\\u0000","request_method":"","request_uri":"","status":400,"http_referer":"","http_user_agent":""}',
  ],
  apache: [
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /caf\\xc3\\xa9/\\xff%2e%2e%2f.env?x=\\"y\\"&z=\\\\x41 HTTP/1.1" 404 416 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\\\ back)"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET / HTTP/1.1" 200 222 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\\\ back)"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /a b/c" 400 448 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "\\x03" 400 448 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "SSH-2.0-Go" 400 448 "-" "-"',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "OPTIONS * HTTP/1.1" 200 126 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\\\ back)"',
  ],
  apacheVhost: [
    'localhost:80 127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /.env HTTP/1.1" 200 222 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\\\ back)"',
  ],
  apacheCommon: ['127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /.env HTTP/1.1" 200 222'],
  caddy: [
    '{"level":"info","ts":1795355409.5764518,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"59704","client_ip":"127.0.0.1","proto":"HTTP/1.1","method":"GET","host":"shop.example.com","uri":"/caf\xc3\xa9/\\ufffd%2e%2e%2f.env?x=\\"y\\"&z=\\\\x41","headers":{"Referer":["https://shop.example.com/cart?a=\\"b\\""],"User-Agent":["Mozilla/5.0 (X11; \\"q\\" \\\\ back)"],"Connection":["close"]}},"bytes_read":0,"user_id":"","duration":0.000192147,"size":0,"status":404,"resp_headers":{"Server":["Caddy"]}}',
    '{"level":"info","ts":1795355409.5778768,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"59720","client_ip":"127.0.0.1","proto":"HTTP/1.1","method":"GET","host":"other.example","uri":"http://other.example/abs?q","headers":{"Referer":["https://shop.example.com/cart?a=\\"b\\""],"User-Agent":["Mozilla/5.0 (X11; \\"q\\" \\\\ back)"],"Connection":["close"]}},"bytes_read":0,"user_id":"","duration":0.000052468,"size":0,"status":404,"resp_headers":{"Server":["Caddy"]}}',
    '{"level":"info","ts":1795355409.5837898,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"59842","client_ip":"127.0.0.1","proto":"HTTP/1.0","method":"GET","host":"","uri":"/.git/config","headers":{}},"bytes_read":0,"user_id":"","duration":0.00008025,"size":0,"status":404,"resp_headers":{"Server":["Caddy"]}}',
  ],
  traefikCommon: [
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /caf%C3%A9/%FF../.env?x="y"&z=\\x41 HTTP/1.1" 499 21 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\ back)" 2 "r@file" "http://127.0.0.1:18181" 0ms',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "POST /a?b=%00\\"q HTTP/1.1" 499 21 "https://shop.example.com/cart?a=\\"b\\"" "Mozilla/5.0 (X11; \\"q\\" \\ back)" 3 "r@file" "http://127.0.0.1:18181" 0ms',
    '127.0.0.1 - - [22/Nov/2026:13:50:09 +0000] "GET /.git/config HTTP/1.0" 499 21 "-" "-" 7 "r@file" "http://127.0.0.1:18181" 0ms',
  ],
  traefikJson: [
    '{"ClientAddr":"127.0.0.1:55964","ClientHost":"127.0.0.1","ClientPort":"55964","ClientUsername":"-","DownstreamContentSize":21,"DownstreamStatus":499,"Duration":118897,"OriginContentSize":21,"OriginDuration":46990,"OriginStatus":499,"Overhead":71907,"RequestAddr":"shop.example.com","RequestContentSize":0,"RequestCount":2,"RequestHost":"shop.example.com","RequestMethod":"GET","RequestPath":"/caf%C3%A9/%FF../.env?x=\\"y\\"\\u0026z=\\\\x41","RequestPort":"-","RequestProtocol":"HTTP/1.1","RequestScheme":"http","RetryAttempts":0,"RouterName":"r@file","ServiceAddr":"127.0.0.1:18181","ServiceName":"s@file","ServiceURL":"http://127.0.0.1:18181","StartLocal":"2026-11-22T13:50:09.597034393Z","StartUTC":"2026-11-22T13:50:09.597034393Z","entryPointName":"web","level":"info","msg":"","request_Referer":"https://shop.example.com/cart?a=\\"b\\"","request_User-Agent":"Mozilla/5.0 (X11; \\"q\\" \\\\ back)","time":"2026-11-22T13:50:09Z"}',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const logFile = (...lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
