-- Prints what the functions on rules, generations, layers, views, colours and options return.
local g = golly()
local function show(x)
  if type(x) == "table" then
    local t = {}
    for i, v in ipairs(x) do t[i] = show(v) end
    return "{" .. table.concat(t, ",") .. "}"
  end
  return type(x) == "string" and '"' .. x .. '"' or tostring(x)
end
local function p(name, ...)
  local t = {}
  for i = 1, select("#", ...) do t[i] = show((select(i, ...))) end
  print(name .. ": " .. table.concat(t, " "))
end
local function try(name, f, ...)
  local ok, e = pcall(f, ...)
  if ok then p(name, e) else print(name .. ": fails") end
  g.continue("")
end
local function all() return g.getcells(g.getrect()) end

-- rules and algorithms
g.new("rules")
for _, r in ipairs{"B3/S23", "b36/s23", "23/3", "B0/S8", "B3/S23:T30,20", "B3/S23:P10", "b3/s23:t0,20", "12/3/4", "345/2/4", "/2/3", "B3/S2-i34q", "B2-a/S12", "B2/S34H", "B2/S013V", "R5,C0,M1,S34..58,B34..45,NM", "WireWorld", "JvN29", "LifeHistory", "Codd", "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA", "B3678/S34678", "S23/B3", "3/23", "B2/S", "//3", "WireWorld:T20,20", "B3/S23:K20*,30", "B3/S23:C20,30", "B3/S23:S20", "B3/S23:T30+5,20", "W110", "B3/S23:P10,12+1"} do
  local ok, e = pcall(g.setrule, r) g.continue("")
  if ok then p("rule " .. r, g.getrule(), g.getalgo(), g.numstates(), g.getwidth(), g.getheight()) else p("rule " .. r, "fails") end
end
g.setrule("B3/S23") try("bad rule", g.setrule, "nonsense") p("still", g.getrule())
p("algos", g.numalgos(), g.getalgo(0), g.getalgo(1), g.getalgo(5)) try("algo 99", g.getalgo, 99)
g.setalgo("HashLife") p("setalgo", g.getalgo(), g.getrule()) g.setalgo("Generations") p("setalgo", g.getalgo(), g.getrule(), g.numstates()) g.setalgo("RuleLoader") p("setalgo", g.getalgo(), g.getrule()) g.setalgo("JvN") p("setalgo", g.getalgo(), g.getrule()) g.setalgo("Larger than Life") p("setalgo", g.getalgo(), g.getrule()) g.setalgo("QuickLife") p("setalgo", g.getalgo(), g.getrule()) try("bad algo", g.setalgo, "Slow")
-- states that a rule does not have
g.new("states") g.setrule("12/3/4") g.putcells({0, 0, 3, 1, 0, 2, 2, 0, 1}) p("states", all(), g.getpop()) g.setrule("B3/S23") p("fewer states", all(), g.numstates())
g.setrule("WireWorld") g.putcells({5, 5, 6, 5}) p("one-state in many", all()) p("evolve", g.evolve({0, 0, 1, 1, 0, 3, 2, 0, 3}, 1), g.evolve({0, 0}, 1)) p("parse multi", g.parse("ABC$2.A!")) g.setrule("B3/S23")

-- generations
g.new("gen") g.putcells({0, 0, 1, 0, 2, 0})
g.run(1) p("run", g.getgen(), all()) g.run(10) p("run", g.getgen(), all()) g.run(0) p("run 0", g.getgen())
p("step", g.getbase(), g.getstep()) g.step() p("step", g.getgen()) g.setstep(1) g.step() p("step", g.getgen(), g.getstep())
g.setbase(10) p("base", g.getbase(), g.getstep()) g.setstep(2) g.step() p("step", g.getgen()) g.setstep(-2) p("negative", g.getstep()) g.step() p("step", g.getgen()) try("base 1", g.setbase, 1)
g.reset() p("reset", g.getgen(), all(), g.getstep(), g.getbase())
g.setgen("1000") p("setgen", g.getgen(), g.getgen(",")) g.setgen("+24") p("setgen", g.getgen()) g.setgen("-1,000") p("setgen", g.getgen()) g.setgen("1,234,567") p("setgen", g.getgen(","), g.getpop(",")) try("bad gen", g.setgen, "x")
g.setgen("-5") p("negative gen", g.getgen()) g.setgen("0") p("setgen", g.getgen())
g.run(5) g.setcell(100, 100, 1) g.run(5) g.reset() p("reset after edit", g.getgen(), all())
g.new("bounded") g.setrule("B3/S23:T10,8") g.putcells({0, 0, 1, 0, 2, 0}) g.run(1) p("torus", all()) g.setcell(-5, -4, 1) g.setcell(4, 3, 1) p("corners", g.getrect()) try("outside", g.setcell, 5, 0, 1) try("outside", g.setcell, -6, 0, 1) try("getcell outside", g.getcell, 50, 50) try("put outside", g.putcells, g.parse("bo$2bo$3o!"), 3, 2) p("put outside", all())
g.new("b0") g.setrule("B0/S") g.putcells({0, 0}) g.run(1) p("b0", all(), g.getpop()) g.run(1) p("b0", all(), g.getpop()) g.setrule("B3/S23")
g.new("glider") g.putcells(g.parse("bo$2bo$3o!")) g.run(400) p("far", g.getrect(), g.getpop(), g.getgen()) g.setalgo("HashLife") g.setbase(8) g.setstep(4) g.step() p("hash", g.getrect(), g.getgen())

-- layers
p("layers", g.numlayers(), g.getlayer(), g.maxlayers(), g.getname())
local a = g.addlayer() p("added", a, g.numlayers(), g.getlayer(), g.getname(), g.empty(), g.getalgo(), g.getrule(), g.getstep(), g.getbase())
g.putcells({7, 7}) g.setname("seven") p("name", g.getname(), g.getname(0)) g.setname("zero", 0) p("name", g.getname(0))
local d = g.duplicate() p("duplicate", d, g.getname(), all()) g.setcell(8, 8, 1) p("changed", all()) g.setlayer(1) p("original", all(), g.getlayer())
local c = g.clone() p("clone", c, g.getname(), all()) g.setcell(9, 9, 1) g.setlayer(1) p("cloned", all()) g.setname("twin") p("names", g.getname(0), g.getname(1), g.getname(2), g.getname(3))
g.movelayer(0, 2) p("moved", g.getlayer(), g.getname(0), g.getname(1), g.getname(2), g.getname(3))
g.dellayer() p("deleted", g.getlayer(), g.numlayers(), g.getname()) g.setlayer(0) g.dellayer() p("deleted", g.getlayer(), g.numlayers(), g.getname()) try("setlayer", g.setlayer, 99) while g.numlayers() > 1 do g.dellayer() end try("last layer", g.dellayer)
while g.numlayers() < g.maxlayers() do g.addlayer() end try("eleventh", g.addlayer) while g.numlayers() > 1 do g.dellayer() end

-- views, colours, options
g.new("view") g.setpos("10", "-20") p("pos", g.getpos()) g.setpos("1,000,000,000,000", "-123456") p("pos", g.getpos()) p("pos", g.getpos(",")) g.setpos("0", "0") g.setmag(3) p("mag", g.getmag()) g.setmag(99) p("mag", g.getmag()) g.setmag(0) try("bad pos", g.setpos, "x", "0")
p("cursor", g.setcursor("Draw"), g.getcursor(), g.setcursor("Move"), g.getcursor()) try("bad cursor", g.setcursor, "Fly")
p("option", g.setoption("showgrid", 0), g.getoption("showgrid"), g.setoption("showgrid", 1), g.getoption("showgrid"), g.setoption("drawingstate", 1), g.getoption("drawingstate")) try("bad option", g.getoption, "nonsense") try("bad option", g.setoption, "nonsense", 1)
g.setrule("B3/S23") p("colors", g.getcolors(0), #g.getcolors()) g.setcolors({0, 1, 2, 3, 1, 10, 20, 30}) p("colors", g.getcolors(), g.getcolors(1)) g.setcolors({-1, 5, 6, 7}) p("colors", g.getcolors()) g.setcolors({255, 0, 0, 0, 0, 255}) p("gradient", g.getcolors())
g.setrule("345/2/4") g.setcolors({255, 0, 0, 0, 0, 255}) p("gradient", g.getcolors()) try("bad colors", g.setcolors, {1, 2, 3}) g.setrule("B3/S23")
p("color", g.setcolor("select", 1, 2, 3) ~= nil, g.getcolor("select")) try("bad color", g.getcolor, "nonsense")
for _, n in ipairs{"autofit", "boldspacing", "fullscreen", "hyperspeed", "maxdelay", "mindelay", "opacity", "restoreview", "savexrle", "showallstates", "showboldlines", "showbuttons", "showeditbar", "showexact", "showgrid", "showhashinfo", "showicons", "showlayerbar", "showoverlay", "showpopulation", "showprogress", "showscrollbars", "showstatusbar", "showtimeline", "showtoolbar", "smartscale", "stacklayers", "swapcolors", "switchlayers", "synccursors", "syncviews", "tilelayers"} do p("usual " .. n, g.getoption(n)) end
for _, n in ipairs{"border", "paste", "QuickLife", "HashLife", "Generations", "Larger than Life", "JvN", "RuleLoader"} do p("color " .. n, g.getcolor(n)) end
p("os", g.os(), type(g.millisecs()), math.type(g.millisecs())) g.update() g.fit() g.autoupdate(false) g.check(true) g.settitle("t") g.doevent("") g.sleep(1)
p("info", g.getinfo()) p("visrect", g.visrect({0, 0, 1, 1}))
os.exit(0)
