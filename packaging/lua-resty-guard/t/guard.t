use Cwd qw(cwd);
use Test::Nginx::Socket 'no_plan';

# The folder of the modules: that of this repository, or where a package manager installed them.
our $Lib = $ENV{TEST_NGINX_LIB} || cwd() . "/lib";

our $Config = <<"_EOC_";
    lua_package_path "$Lib/?.lua;$Lib/?/init.lua;;";
    lua_shared_dict guard 1m;
    lua_shared_dict guard_metrics 1m;
    rewrite_by_lua_no_postpone on;
    init_by_lua_block {
        require("resty.guard").init({ check_query = true, security_log = false })
        require("resty.guard").init({ mode = "detect", security_log = false }, "detecting")
    }
    rewrite_by_lua_block { require("resty.guard").check() }
_EOC_

no_long_string();
run_tests();

__DATA__

=== TEST 1: an allowed request reaches its location
--- http_config eval: $::Config
--- config
    location /t { return 200 "passed\n"; }
--- request
GET /t
--- response_body
passed
--- no_error_log
[error]

=== TEST 2: a path of a scanner is blocked
--- http_config eval: $::Config
--- config
    location /t { return 200 "passed\n"; }
--- request
GET /t/.env
--- error_code: 403
--- response_headers
Cache-Control: no-store
--- response_body
403 Forbidden

=== TEST 3: an encoded path and a query are blocked
--- http_config eval: $::Config
--- config
    location /t { return 200 "passed\n"; }
--- pipelined_requests eval
["GET /t/..%2f.git/config", "GET /t?file=../../etc/passwd"]
--- error_code eval
[403, 403]

=== TEST 4: another policy by its name
--- http_config eval: $::Config
--- config
    location /t {
        rewrite_by_lua_block { require("resty.guard").check("detecting") }
        return 200 "passed\n";
    }
--- request
GET /t/.env
--- response_body
passed

=== TEST 5: the former name is the same module
--- http_config eval: $::Config
--- config
    location /t {
        content_by_lua_block { ngx.say(require("guard") == require("resty.guard")) }
    }
--- request
GET /t
--- response_body
true

=== TEST 6: the metrics
--- http_config eval: $::Config
--- config
    location = /metrics {
        content_by_lua_block { require("resty.guard.metrics").print() }
    }
--- pipelined_requests eval
["GET /.env", "GET /metrics"]
--- error_code eval
[403, 200]
--- response_body_like eval
["403", 'verdict="blocked",reason="block_pattern_match",rule="env-file",mode="enforce",action="text"\} 1']
