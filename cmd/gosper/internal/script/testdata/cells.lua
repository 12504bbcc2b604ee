-- Prints what the functions on cell arrays, cells, selections and clipboards return.
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

-- parse, transform, join, evolve
p("parse", g.parse("3o$bo!"), g.parse("bo$2bo$3o!", 10, 20), g.parse("3o!", 1, 2, 0, -1, 1, 0), g.parse("bo$2bo$3o!", 0, 0, -1, 0, 0, 1))
p("parse empty", g.parse("!"), g.parse(""), g.parse("2$3o2$!"))
p("parse life105", g.parse("#Life 1.05\n#P 2 3\n.*.\n..*\n***"), g.parse("#Life 1.05\n#P -1 -1\n**\n"), g.parse("**\n.*"), g.parse("\n*\n\n*"), g.parse("#P 1 1\n*\n#P 5 5\n*"), g.parse("#C x\n#P 5 5\n*"))
p("transform", g.transform(g.parse("bo$2bo$3o!"), 5, 6, 0, -1, 1, 0), g.transform({1, 2, 3, 4, 5}, 10, 10), g.transform({1, 2, 3, 0}, 1, 1), g.transform({}, 1, 1))
p("transform more", g.transform({0, 0, 1, 0, 2, 0}, 0, 0, 2, 0, 0, 2), g.transform({1, 2, 3, 4, 5, 6, 0}, 0, 0, -1))
p("join", g.join({1, 2}, {3, 4}), g.join({}, {}), g.join({1, 2, 3}, {}), g.join({1, 2}, {0}), g.join({1, 2}, {3, 4, 5}), g.join({1, 2, 3}, {4, 5, 6}), g.join({1, 2, 2, 0}, {3, 4, 5}), g.join({0}, {0}), g.join({}, {0}), g.join({1, 2, 3, 4, 5, 6, 0}, {7, 8, 9}))
p("evolve", g.evolve({0, 0, 1, 0, 2, 0}, 1), g.evolve(g.parse("bo$2bo$3o!"), 4), g.evolve({}, 5), g.evolve({0, 0}, 1), g.evolve({0, 0, 1, 0, 2, 0}, 0), g.evolve({5, 5, 1, 6, 5, 1, 7, 5, 1}, 1))
try("parse bad", g.parse, "3z!") try("evolve negative", g.evolve, {0, 0}, -1) try("transform string", g.transform, "x", 0, 0)

-- putcells
g.new("put")
p("empty", g.empty(), g.getrect(), g.getpop(), g.getgen(), g.getname(), g.getpath(), g.numstates())
g.putcells({0, 0, 1, 0, 2, 0}) p("or", all())
g.putcells({1, 0, 3, 1}, 1, 0) p("or moved", all())
g.putcells({0, 0, 9, 9}, 0, 0, 1, 0, 0, 1, "xor") p("xor", all())
g.putcells({1, 0, 2, 0, 7, 7}, 0, 0, 1, 0, 0, 1, "and") p("and", all())
g.putcells({1, 0, 5, 5}, 0, 0, 1, 0, 0, 1, "not") p("not", all())
g.putcells({3, 3, 4, 4}, 0, 0, 1, 0, 0, 1, "copy") p("copy", all())
g.putcells({0, 0, 1, 1, 1, 0, 2, 2, 1}, 0, 0, 1, 0, 0, 1, "or") p("or multi", all())
g.putcells({3, 3, 0, 2, 2, 1, 0}, 0, 0, 1, 0, 0, 1, "xor") p("xor multi", all())
g.putcells({3, 3, 0, 2, 2, 1, 0}, 0, 0, 1, 0, 0, 1, "copy") p("copy multi", all())
g.putcells({1, 1, 0, 4, 4, 0, 1, 0, 1}, 0, 0, 1, 0, 0, 1, "and") p("and multi", all())
g.putcells({8, 8, 0, 9, 9, 1, 0}, 0, 0, 1, 0, 0, 1, "not") p("not multi", all())
try("state too large", g.putcells, {0, 0, 2}) try("unknown mode", g.putcells, {0, 0}, 0, 0, 1, 0, 0, 1, "plus")

-- setcell, getcell, getcells
g.new("set")
g.setcell(-5, 7, 1) g.setcell(5, -7, 1) g.setcell(0, 0, 1) g.setcell(0, 0, 0)
p("cells", g.getcell(-5, 7), g.getcell(0, 0), g.getcell(1000000, -1000000), all(), g.getrect(), g.getpop())
p("getcells", g.getcells({}), g.getcells({-5, 7, 1, 1}), g.getcells({-10, -10, 20, 10}))
try("bad state", g.setcell, 0, 0, 2) try("bad state", g.setcell, 0, 0, -1) try("bad rect", g.getcells, {1, 2, 3}) try("bad rect", g.getcells, {0, 0, 0, 1}) try("bad rect", g.select, {1, 2, 3})

-- selections
p("getselrect", g.getselrect())
try("clear", g.clear, 0) try("copy", g.copy) try("cut", g.cut) try("shrink", g.shrink) try("flip", g.flip, 0) try("rotate", g.rotate, 0) try("fitsel", g.fitsel) try("advance", g.advance, 0, 1) try("randfill", g.randfill, 50)
g.new("sel") g.putcells(g.parse("bo$2bo$3o!")) g.putcells({10, 10})
g.select({-1, -1, 6, 5}) p("select", g.getselrect())
g.shrink() p("shrink", g.getselrect())
g.flip(0) p("flip 0", all(), g.getselrect())
g.flip(1) p("flip 1", all())
g.rotate(0) p("rotate 0", all(), g.getselrect())
g.rotate(1) p("rotate 1", all(), g.getselrect())
g.select({0, 0, 4, 3}) g.rotate(0) p("rotate 4x3", all(), g.getselrect())
g.rotate(0) p("again", all(), g.getselrect()) g.rotate(1) g.rotate(1) p("back", all(), g.getselrect())
g.select({0, 0, 3, 5}) g.rotate(1) p("rotate 3x5", all(), g.getselrect()) g.rotate(0) p("rotate 3x5 back", all(), g.getselrect())
g.select({-3, -2, 7, 4}) g.rotate(0) p("rotate 7x4", g.getselrect()) g.rotate(1) p("back", g.getselrect()) g.rotate(1) p("left", g.getselrect())
g.select({0, 0, 3, 3}) g.copy() p("copied", g.getclip()) 
g.paste(20, 20, "or") p("pasted", all(), g.getselrect())
g.cut() p("cut", all(), g.getclip())
g.paste(20, 20, "xor") p("xor paste", all())
g.paste(19, 20, "and") p("and paste", all())
g.paste(10, 10, "copy") p("copy paste", all())
try("paste mode", g.paste, 0, 0, "not")
g.select({9, 9, 2, 2}) g.clear(0) p("cleared", all()) g.putcells({0, 0, 1, 1, 2, 2, 30, 30}) g.select({0, 0, 2, 2}) g.clear(1) p("outside", all())
g.select({50, 50, 3, 3}) g.shrink() p("shrink empty", g.getselrect()) g.shrink(true) p("removed", g.getselrect())
g.select({50, 50, 3, 3}) g.select({}) p("no selection", g.getselrect())
g.select({0, 0, 10, 10}) g.randfill(100) p("full", g.getpop()) 
g.new("adv") p("after new", g.getselrect()) g.putcells({0, 0, 1, 0, 2, 0, 10, 10, 11, 10, 12, 10}) g.select({-1, -1, 5, 3}) g.advance(0, 1) p("advance 0", all(), g.getgen()) g.advance(1, 1) p("advance 1", all(), g.getselrect(), g.getgen())
g.advance(0, 3) p("advance 3", all())
g.new("adv edge") g.putcells({0, 0, 1, 0, 2, 0}) g.select({0, 0, 3, 1}) g.advance(0, 1) p("advance edge", all(), g.getselrect())
g.setclipstr("x = 4, y = 3, rule = B3/S23\nbo$2bo$3o!") p("clip", g.getclip()) g.paste(0, 0, "or") p("paste clip", all()) p("clipstr", g.getclipstr())
g.setclipstr("2bo!") p("clip bare", g.getclip())
g.setclipstr("..O\nOO") p("clip text", g.getclip())
g.setclipstr("hello, world") p("clipstr", g.getclipstr())
g.setclipstr("x = 3, y = 1, rule = B36/S23\n3o!") g.new("rule") g.paste(0, 0, "or") p("rule of clip", g.getrule(), all()) g.setrule("B3/S23")

-- what a script finds after it has begun a new pattern
g.setrule("B36/S23") g.setalgo("HashLife") g.new("kept") p("new keeps", g.getrule(), g.getalgo()) g.setrule("B3/S23") g.setalgo("QuickLife")
-- rotation over other cells
g.new("over") g.putcells({0, 0, 1, 0, 2, 0, 1, 2, 3, 3}) g.select({0, 0, 4, 2}) g.rotate(0) p("over", all(), g.getselrect()) g.new("over2") g.putcells({0, 0, 5, 0, 0, 3}) g.select({0, 0, 6, 1}) g.rotate(1) p("over", all(), g.getselrect())
-- hashes
g.new("hash") g.putcells({0, 0, 1, 0, 2, 0, 50, 50, 51, 50, 52, 50, 0, 20, 0, 21, 0, 22})
p("hash", g.hash({0, 0, 3, 1}) == g.hash({50, 50, 3, 1}), g.hash({0, 0, 3, 1}) == g.hash({-1, 0, 4, 1}), g.hash({0, 0, 3, 3}) == g.hash({0, 20, 3, 3}), math.type(g.hash({0, 0, 3, 1})), g.hash({0, 0, 3, 1}), g.hash({0, 20, 1, 3}), g.hash({-5, -5, 60, 60}), g.hash({1000, 1000, 3, 3}))
g.setrule("12/3/4") g.putcells({0, 0, 2, 1, 1, 3, 0}) p("hash multi", g.hash({0, 0, 3, 3})) g.putcells({5, 5}) p("one in many", g.getcell(5, 5)) g.putcells({5, 5, 1, 5, 5, 2, 0}, 0, 0, 1, 0, 0, 1, "xor") p("xor states", g.getcell(5, 5), g.getcell(0, 0)) g.putcells({0, 0, 1, 1, 1, 2, 0}, 0, 0, 1, 0, 0, 1, "xor") p("xor states", g.getcell(0, 0), g.getcell(1, 1)) g.putcells({0, 0, 3, 1, 1, 1, 0}, 0, 0, 1, 0, 0, 1, "not") p("not states", g.getcell(0, 0), g.getcell(1, 1)) g.putcells({0, 0}, 0, 0, 1, 0, 0, 1, "not") p("not one", g.getcell(0, 0)) g.new("and") g.putcells({0, 0, 1, 1, 1, 2, 2, 2, 3}) g.putcells({0, 0, 2, 1, 1, 2, 2, 2, 0}, 0, 0, 1, 0, 0, 1, "and") p("and states", all()) g.putcells({0, 0, 1, 1}, 0, 0, 1, 0, 0, 1, "and") p("and one", all()) p("copied states", g.parse("2A.B$pA!")) g.select({0, 0, 6, 6}) g.copy() p("clip states", g.getclip()) g.clear(0) g.paste(0, 0, "copy") p("pasted states", all())
os.exit(0)
