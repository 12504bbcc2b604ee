-- numbers
print(1, 1.0, -0.0, 1e15, 1e16, 123456789012345, 2^53, 1e100, 0.1, 1/3, 3.14159265358979)
print(7 // 2, -7 // 2, 7 // -2, 7.5 // 2, -7.5 // 2, 7 % 3, -7 % 3, 7 % -3, 5.5 % 2, -5.5 % 2, 5 % math.huge, -5 % math.huge)
print(10 / 2, 3 * 2.0, 2 ^ 10, 7 // 0.0, -7 // 0.0, 0x10, 0xff, 0x.8p1, 0xA.8, 1 // 1, 1e2 // 1)
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 4, 256 >> 4, 1 << 63, 1 << 64, -1 >> 1, -1 >> 63, 3 & 1.0, 1 << -1)
print(math.maxinteger + 1 == math.mininteger, math.maxinteger * 2, math.mininteger // -1, math.mininteger % -1)
print(0x7fffffffffffffff, 0xffffffffffffffff, 9223372036854775807, 9223372036854775808, -9223372036854775808)
print("10" + 5, "0x10" + 0, "3.0" + 1, 10 .. 20, "2" * "3", -"2", " 7 " + 0)
print(1 == 1.0, 1 < 1.5, 2^53 == 2^53 + 1, math.maxinteger < math.huge, math.maxinteger + 0.0 == math.maxinteger)
print(math.maxinteger < 2^63, math.maxinteger <= 2^63, math.mininteger <= -2^63, math.mininteger < -2^63, 2^63 > math.maxinteger)
print("a" < "b", "a" < "B", "" < "a", "Z" < "a", "abc" < "abd", "10" < "9")
print(tostring(nil), tostring(true), tonumber("12"), tonumber("1e1"), tonumber("0x1p4"), tonumber("abc"), tonumber(""), tonumber("1 2"), tonumber("1e"), tonumber("inf"), tonumber("nan"), tonumber("1_0"))
print(tonumber("ff", 16), tonumber("zz", 36), tonumber("8", 8), tonumber("-11", 2), tonumber(" 11 ", 2), tonumber("1.5", 10))
print(math.type(1), math.type(1.0), math.type("1"), math.tointeger(3.0), math.tointeger(3.5), 3 | 0, 2^31 | 0)
print(#"abc", #"", not nil, not 0, nil == false, 1 and 2, nil and 1, false or nil, 1 or error("x"))
print(2^3^2, -2^2, not 1 == 2, 1 .. 2 == "12", "a" .. "b" .. "c" == "abc", 1 + 2 < 4, 5 - 3 - 1, 2 * 3 % 4)
-- locals, scopes and closures
do
  local a, b, c = 1, 2
  print(a, b, c)
  a, b = b, a
  print(a, b)
  local a = a + 10
  print(a)
  local t = {}
  local i = 1
  i, t[i] = i + 1, 20
  print(i, t[1], t[2])
end
local fs = {}
for i = 1, 3 do
  local j = i * 10
  fs[#fs + 1] = function(d) j = j + d; i = i + d; return i, j end
end
print(fs[1](1)) print(fs[1](1)) print(fs[2](0)) print(fs[3](5))
local function counter()
  local n = 0
  return function() n = n + 1 return n end, function() return n end
end
local inc, get = counter()
inc() inc()
print(get(), select("#", counter()))
local k = 0
local gs = {}
while k < 3 do k = k + 1 local m = k gs[k] = function() m = m + 1 return m end end
print(gs[1](), gs[1](), gs[2](), gs[3]())
repeat local done = true until done
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end
print(fact(20), fact(21), fact(25.0))
local function va(...)
  local a, b = ...
  local t = {...}
  return select("#", ...), a, b, #t, (...)
end
print(va()) print(va(1)) print(va(1, nil, 3)) print((va(1, 2)))
print(select(-1, 1, 2, 3), select(2, "a", "b", "c"))
print(pcall(function() return select(0) end))
local function tail(n) if n == 0 then return "end" end return tail(n - 1) end
print(tail(10000))
-- loops
for i = 10, 1, -3 do io.write(i, " ") end print()
for i = 1, 0 do print("never") end
for i = 1.0, 2, 0.5 do io.write(i, " ") end print()
for i = math.maxinteger - 1, math.maxinteger do io.write(i, " ") end print()
for i = math.mininteger, math.mininteger + 1 do io.write(i, " ") end print()
for i = 1, 3 do local x <const> = i if i == 2 then goto continue end io.write(x, " ") ::continue:: end print()
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto out end io.write(i, ":", j, " ") end ::out:: end print()
do local i = 1 ::top:: if i <= 3 then io.write(i, ",") i = i + 1 goto top end print() end
for i = 1, math.huge do if i > 3 then break end io.write(i, " ") end print()
for i = 3, -math.huge, -1 do if i < 1 then break end io.write(i, " ") end print()
print(pcall(function() for i = 1, 10, 0 do end end))
print(pcall(function() for i = "a", 10 do end end))
-- tables
local t = {1, 2, 3, nil, 5, n = 1, ["x y"] = 2, [10] = 10, [2.0] = "two"; "six"}
print(t[1], t[2], t[3], t[5], t.n, t["x y"], t[10], t[6])
t = {}
for i = 1, 10 do t[i] = i end
for i = 1, 10, 2 do t[i] = nil end
local n = 0 for k, v in pairs(t) do n = n + v end print(n)
t = {} t[3] = 3 t[2] = 2 t[1] = 1 print(#t, t[3]) t[4] = 4 t[#t] = nil print(#t)
t = {10, 20, 30} table.insert(t, 40) table.insert(t, 1, 5) print(table.concat(t, ","), table.remove(t), table.remove(t, 1), table.concat(t, ","))
print(table.unpack({1, 2, 3})) print(table.unpack({1, 2, 3}, 2)) print(table.unpack({1, 2, 3}, 2, 5)) print(table.pack(1, nil, 3).n)
t = {5, 2, 8, 1} table.sort(t) print(table.concat(t, " ")) table.sort(t, function(a, b) return a > b end) print(table.concat(t, " "))
print(table.concat({1, 2.5, "x"}, "-"), table.concat({}, "x"), table.concat({1, 2, 3}, ",", 2, 3))
print(table.unpack(table.move({1, 2, 3}, 1, 3, 2))) print(next({})) print(rawlen({1, 2}), rawequal(t, t), rawget({a = 1}, "a"))
t = {} t[1.0] = "a" t[2^53] = "b" print(t[1], t[2^53 | 0]) print(pcall(function() t[nil] = 1 end)) print(pcall(function() t[0/0] = 1 end)) print(t[nil])
t = {} for i = 1, 100 do t["k" .. i] = i end for i = 1, 100 do t["k" .. i] = nil end print(next(t)) for i = 1, 50 do t[i .. ""] = i end n = 0 for _ in pairs(t) do n = n + 1 end print(n)
t = {} for i = 1, 20 do t[i] = i end for k in pairs(t) do t[k] = nil end print(next(t), #t)
do local t = {[1] = "a", "b"} print(t[1], #t) t = {"b", [1] = "a", [2] = "c"} print(t[1], t[2], #t) t = {"x", [3] = "z", [2] = "y"} print(#t, t[3], next(t)) end
do local n = 0 local function f() n = n + 1 return n end local t = {f(), a = f(), f(), [f()] = f(), f()} print(t[1], t.a, t[2], t[4], t[3]) end
-- metatables
local V = {} V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__tostring = function(a) return "V(" .. a.x .. ")" end
V.__len = function() return 42 end
V.__call = function(self, a, b) return self.x, a, b end
V.__concat = function(a, b) return "cat" end
V.__unm = function(a) return setmetatable({x = -a.x}, V) end
V.__idiv = function() return "idiv" end
V.__band = function() return "band" end
function V.new(x) return setmetatable({x = x}, V) end
function V:get(d) return self.x + (d or 0) end
local a, b = V.new(1), V.new(2)
print(tostring(a + b), a == b, a == V.new(1), a < b, a <= b, a > b, #a, a(5, 6)) print(a .. "x", "x" .. a, 1 .. a, tostring(-a), a // 1, 1 & a, a:get(), a:get(3))
local log = {}
local proxy = setmetatable({}, {__index = function(_, k) return k .. "!" end, __newindex = function(t, k, v) rawset(t, k, v * 2) end})
print(proxy.abc, proxy[1]) proxy.z = 4 print(proxy.z)
local base = setmetatable({}, {__index = {deep = "yes"}}) print(setmetatable({}, {__index = base}).deep)
print(getmetatable("").__index == string, ("x"):rep(3), ("%d"):format(5), #("abc"):upper())
print(pcall(function() return setmetatable(setmetatable({}, {__metatable = "locked"}), {}) end)) print(getmetatable(setmetatable({}, {__metatable = "locked"})))
for k, v in pairs(setmetatable({}, {__pairs = function() return function(_, k) if not k then return 1, 2 end end, nil, nil end})) do print(k, v) end
-- errors
print(pcall(error, "msg")) print(type(select(2, pcall(error, {1})))) print(pcall(error)) print(select(2, pcall(error, "lvl", 0)))
print(pcall(function() error("here") end)) print(pcall(function() error("there", 2) end)) print(pcall(function() local x = nil; x.y = 1 end))
print(pcall(function() return undefinedglobal.x end)) print(pcall(function() local t = {} t.a.b = 1 end)) print(pcall(function() return 1 + {} end))
print(pcall(function() return {} .. "x" end)) print(pcall(function() return 1 < "2" end)) print(pcall(function() return {} < {} end))
print(pcall(function() undefinedfunction() end)) print(pcall(function() local t = {} t.x.y() end)) print(pcall(function() local t = {} t:nomethod() end)) print(pcall(function() return #5 end))
print(pcall(function() return 1.5 | 1 end)) print(pcall(function() return "a" | 1 end)) print(pcall(function() return -{} end))
print(xpcall(function() error("E") end, function(m) return "handled " .. m end)) print(xpcall(function(...) return ... end, print, 1, 2))
print(pcall(function() return string.rep() end)) print(pcall(function() return string.rep("x", "y") end)) print(pcall(function() return setmetatable(1, {}) end)) print(pcall(function() return ipairs() end)) print(pcall(function() return math.floor({}) end)) print(pcall(function() return ("x").rep("x", 1.5) end)) print(pcall(function() return string.char(256) end))
print(select(2, pcall(assert, false)), select(2, pcall(assert, nil, "why")), assert(1, 2)) print(pcall(function() return tostring() end))
print(load("x ="), load("return 1 + 1")()) print(load("for")) print(load("break")) print(load("goto x")) print(load("local t = {1,2\nx")) print(load("return ...", "n")(7)) print(load("return x", "n", "t", {x = 9})())
print(type(load(function() return nil end))) print(load("local x <const> = 1; x = 2", "=c")) print(load("return 0x", "=c")) print(load("\n\nx = }", "=c"))
local ok, e = pcall(function() local function f() return f() + 1 end return f() end) print(ok, (e:gsub("%(.*", ""):gsub(".*: ", "")))
-- coroutines
local co = coroutine.create(function(a, b)
  print("start", a, b)
  local c = coroutine.yield(a + b)
  print("got", c)
  local d, e = coroutine.yield(c * 2)
  return d + e
end)
print(coroutine.resume(co, 1, 2)) print(coroutine.status(co)) print(coroutine.resume(co, 10)) print(coroutine.resume(co, 3, 4)) print(coroutine.status(co), coroutine.resume(co))
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(gen(), gen(), gen(), gen())
print(coroutine.resume(coroutine.create(function() error("in co") end))) print(coroutine.isyieldable(), select(2, coroutine.running()))
print(coroutine.wrap(function() return pcall(function() coroutine.yield(1) error("after") end) end)())
print(coroutine.wrap(function() local r = {pcall(coroutine.wrap(function() error("x", 0) end))} return table.unpack(r) end)())
goto done
do print("skipped") end
::done:: print("done")
