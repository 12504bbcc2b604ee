package lua

import (
	"fmt"
	"strings"
)

// The tree of a program. Expressions are nodes of the types below; statements are in a suite.

// variable is a local variable. Its slot is in the frame of its function; if an inner function uses it, the slot
// refers to a box that they share.
type variable struct {
	name     string
	slot     int
	captured bool
	constant bool
}

type (
	constantExpr struct{ value Value }
	varargExpr   struct{}
	localExpr    struct{ v *variable }
	upvalueExpr  struct {
		name  string
		index int
	}
	indexExpr struct {
		object, key any
		line        int
	}
	callExpr struct {
		function any
		method   string // of object:method(…); else empty
		args     []any
		line     int
	}
	functionExpr struct{ proto *proto }
	unaryExpr    struct {
		op   string
		x    any
		line int
	}
	binaryExpr struct {
		op   string
		x, y any
		line int
	}
	parenExpr struct{ x any } // one value of several
	tableExpr struct {
		keys   []any // nil for the values that are numbered
		values []any
		line   int
	}
)

type (
	localStat struct {
		vars   []*variable
		values []any
	}
	assignStat struct {
		targets []any
		values  []any
		line    int
	}
	callStat  struct{ call *callExpr }
	doStat    struct{ body *suite }
	whileStat struct {
		cond any
		body *suite
	}
	repeatStat struct {
		body *suite
		cond any
	}
	ifStat struct {
		conds  []any
		bodies []*suite
		other  *suite
	}
	numericStat struct {
		v                *variable
		from, limit, add any
		body             *suite
		line             int
	}
	genericStat struct {
		vars   []*variable
		state  int // the slots of function, state and control
		values []any
		body   *suite
		line   int
	}
	localFunctionStat struct {
		v        *variable
		function *functionExpr
	}
	returnStat struct{ values []any }
	breakStat  struct{}
	gotoStat   struct {
		name string
		line int
	}
)

// suite is a list of statements. labels has the index of the statement after each label.
type suite struct {
	stats  []any
	labels map[string]int
}

// proto is the code of a function.
type proto struct {
	name     string
	line     int
	params   []*variable
	vararg   bool
	slots    int
	upvalues []upvalue
	body     *suite
	nesting  int       // the deepest one of its statements and expressions
	run      statement // the body as a Go function
	chunk    string
}

// upvalue says where a function that is made finds a variable of a function around it: in a slot of the frame of
// the next one, or among its upvalues.
type upvalue struct {
	name  string
	local *variable
	index int
}

type scope struct {
	vars  []*variable
	block *suite
}

// functionState is the function that the parser is in.
type functionState struct {
	parent *functionState
	proto  *proto
	scopes []*scope
	active int // slots in use
	outer  int // the depth at which the function begins
	loops  int
	gotos  []pendingGoto
}

type pendingGoto struct {
	name   string
	line   int
	blocks []*suite // around it, the innermost one last
}

type parser struct {
	lexer
	tok, ahead token
	fs         *functionState
	depth      int
}

// maxDepth is the deepest nesting of a program, which limits the depth of Go's stack.
const maxDepth = 200

// parse reads a program. Its proto has one upvalue, _ENV.
func parse(chunk, src string) (p *proto, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	if strings.HasPrefix(src, "#") { // the line by which a shell runs the file
		if end := strings.IndexByte(src, '\n'); end >= 0 {
			src = strings.Repeat(" ", end) + src[end:]
		} else {
			src = ""
		}
	}
	ps := &parser{lexer: lexer{chunk: chunk, src: strings.TrimPrefix(src, "\uFEFF"), line: 1}}
	ps.tok, ps.ahead = ps.lexer.next(), ps.lexer.next()
	main := &proto{name: "main chunk", vararg: true, chunk: chunk, upvalues: []upvalue{{name: "_ENV"}}}
	ps.fs = &functionState{proto: main}
	main.body = ps.block()
	ps.finish()
	if ps.tok.kind != tokenEnd {
		ps.unexpected()
	}
	return main, nil
}

func (p *parser) fail(line int, format string, args ...any) {
	panic(&Error{Value: String(fmt.Sprintf("%s:%d: ", p.chunk, line) + fmt.Sprintf(format, args...))})
}

// quoted is a kind of tokens in messages.
func quoted(kind string) string {
	switch kind {
	case tokenEnd:
		return kind
	case tokenName:
		return "<name>"
	}
	return "'" + kind + "'"
}

func (p *parser) near() string {
	switch p.tok.kind {
	case tokenName, tokenString:
		return "'" + p.tok.text + "'"
	case tokenNumber:
		return "'" + p.tok.value.printed() + "'"
	}
	return quoted(p.tok.kind)
}

func (p *parser) unexpected() { p.fail(p.tok.line, "unexpected symbol near %s", p.near()) }

func (p *parser) advance() token {
	t := p.tok
	p.tok, p.ahead = p.ahead, p.lexer.next()
	return t
}

func (p *parser) accept(kind string) bool {
	if p.tok.kind == kind {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(kind string) token {
	if p.tok.kind != kind {
		p.fail(p.tok.line, "%s expected near %s", quoted(kind), p.near())
	}
	return p.advance()
}

// closing expects the word or sign that closes a construct. The construct began on a line.
func (p *parser) closing(kind, opened string, line int) {
	if p.tok.kind != kind && line != p.tok.line {
		p.fail(p.tok.line, "'%s' expected (to close '%s' at line %d) near %s", kind, opened, line, p.near())
	}
	p.expect(kind)
}

// enter goes down a level of the program, and leave comes up again. nesting is how deep Go functions call each other
// when the function runs.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.line, "the program is nested too deep: at most %d levels", maxDepth)
	}
	p.fs.proto.nesting = max(p.fs.proto.nesting, p.depth-p.fs.outer)
}

func (p *parser) leave() { p.depth-- }

// declare makes a local variable that is visible from now on.
func (p *parser) declare(name string) *variable {
	v := p.variable(name)
	p.show(v)
	return v
}

// variable takes a slot for a variable that is not visible yet.
func (p *parser) variable(name string) *variable {
	fs := p.fs
	v := &variable{name: name, slot: fs.active}
	fs.active++
	fs.proto.slots = max(fs.proto.slots, fs.active)
	return v
}

func (p *parser) show(v *variable) {
	s := p.fs.scopes[len(p.fs.scopes)-1]
	s.vars = append(s.vars, v)
}

func (fs *functionState) find(name string) *variable {
	for i := len(fs.scopes) - 1; i >= 0; i-- {
		vars := fs.scopes[i].vars
		for j := len(vars) - 1; j >= 0; j-- {
			if vars[j].name == name {
				return vars[j]
			}
		}
	}
	return nil
}

// upvalue returns the index of an upvalue of a function, or −1 if no function around it has the variable.
func (fs *functionState) upvalue(name string) int {
	for i, u := range fs.proto.upvalues {
		if u.name == name {
			return i
		}
	}
	if fs.parent == nil {
		return -1
	}
	u := upvalue{name: name}
	if v := fs.parent.find(name); v != nil {
		v.captured = true
		u.local = v
	} else if u.index = fs.parent.upvalue(name); u.index < 0 { // the functions in between pass it on
		return -1
	}
	fs.proto.upvalues = append(fs.proto.upvalues, u)
	return len(fs.proto.upvalues) - 1
}

func (p *parser) name(name string, line int) any {
	if v := p.fs.find(name); v != nil {
		return &localExpr{v}
	}
	if i := p.fs.upvalue(name); i >= 0 {
		return &upvalueExpr{name, i}
	}
	return &indexExpr{p.name("_ENV", line), &constantExpr{String(name)}, line}
}

// block reads statements up to a word that ends them, in a scope of their own.
func (p *parser) block(vars ...*variable) *suite {
	b, restore := p.open(vars...)
	p.statements(b)
	restore()
	return b
}

// open begins a scope. The function that it returns ends it.
func (p *parser) open(vars ...*variable) (*suite, func()) {
	p.enter()
	fs := p.fs
	b := &suite{}
	fs.scopes = append(fs.scopes, &scope{block: b, vars: vars})
	active := fs.active - len(vars)
	return b, func() {
		fs.scopes = fs.scopes[:len(fs.scopes)-1]
		fs.active = active
		p.leave()
	}
}

func (p *parser) statements(b *suite) {
	for {
		switch p.tok.kind {
		case tokenEnd, "end", "else", "elseif", "until":
			return
		case "return":
			p.advance()
			s := &returnStat{}
			switch p.tok.kind {
			case tokenEnd, "end", "else", "elseif", "until", ";":
			default:
				s.values = p.expressions()
			}
			p.accept(";")
			b.stats = append(b.stats, s)
			return
		case ";":
			p.advance()
		case "::":
			p.advance()
			name := p.expect(tokenName)
			p.expect("::")
			if b.labels == nil {
				b.labels = map[string]int{}
			}
			if _, twice := b.labels[name.text]; twice {
				p.fail(name.line, "label '%s' already defined", name.text)
			}
			b.labels[name.text] = len(b.stats)
		default:
			b.stats = append(b.stats, p.statement())
		}
	}
}

func (p *parser) statement() any {
	line := p.tok.line
	switch p.tok.kind {
	case "if":
		return p.ifStatement()
	case "while":
		p.advance()
		s := &whileStat{cond: p.expression(0)}
		p.expect("do")
		s.body = p.loop()
		p.closing("end", "while", line)
		return s
	case "do":
		p.advance()
		s := &doStat{p.block()}
		p.closing("end", "do", line)
		return s
	case "for":
		return p.forStatement()
	case "repeat":
		p.advance()
		p.fs.loops++
		b, restore := p.open()
		p.statements(b)
		p.closing("until", "repeat", line)
		s := &repeatStat{body: b, cond: p.expression(0)} // it sees the variables of the block
		restore()
		p.fs.loops--
		return s
	case "function":
		return p.functionStatement()
	case "local":
		p.advance()
		if p.accept("function") {
			name := p.expect(tokenName)
			s := &localFunctionStat{v: p.declare(name.text)}
			s.function = p.function(name.text, false, line)
			return s
		}
		return p.localStatement()
	case "break":
		p.advance()
		if p.fs.loops == 0 {
			p.fail(line, "break outside loop at line %d", line)
		}
		return &breakStat{}
	case "goto":
		p.advance()
		name := p.expect(tokenName)
		g := pendingGoto{name: name.text, line: line}
		for _, s := range p.fs.scopes {
			g.blocks = append(g.blocks, s.block)
		}
		p.fs.gotos = append(p.fs.gotos, g)
		return &gotoStat{name.text, line}
	}
	return p.expressionStatement()
}

func (p *parser) loop(vars ...*variable) *suite {
	p.fs.loops++
	defer func() { p.fs.loops-- }()
	return p.block(vars...)
}

// finish checks the gotos of the function.
func (p *parser) finish() {
	for _, g := range p.fs.gotos {
		found := false
		for _, b := range g.blocks {
			_, has := b.labels[g.name]
			found = found || has
		}
		if !found {
			p.fail(g.line, "no visible label '%s' for <goto> at line %d", g.name, g.line)
		}
	}
}

func (p *parser) ifStatement() any {
	line := p.advance().line
	s := &ifStat{}
	for {
		s.conds = append(s.conds, p.expression(0))
		p.expect("then")
		s.bodies = append(s.bodies, p.block())
		if !p.accept("elseif") {
			break
		}
	}
	if p.accept("else") {
		s.other = p.block()
	}
	p.closing("end", "if", line)
	return s
}

func (p *parser) forStatement() any {
	line := p.advance().line
	first := p.expect(tokenName)
	if p.accept("=") {
		s := &numericStat{line: line, from: p.expression(0)}
		p.expect(",")
		s.limit = p.expression(0)
		if p.accept(",") {
			s.add = p.expression(0)
		}
		p.expect("do")
		s.v = p.variable(first.text)
		s.body = p.loop(s.v)
		p.closing("end", "for", line)
		return s
	}
	names := []string{first.text}
	for p.accept(",") {
		names = append(names, p.expect(tokenName).text)
	}
	p.expect("in")
	s := &genericStat{line: line, values: p.expressions()}
	p.expect("do")
	s.state = p.variable("(for state)").slot
	p.variable("(for state)")
	p.variable("(for state)")
	for _, name := range names {
		s.vars = append(s.vars, p.variable(name))
	}
	s.body = p.loop(s.vars...)
	p.fs.active = s.state
	p.closing("end", "for", line)
	return s
}

func (p *parser) functionStatement() any {
	line := p.advance().line
	name := p.expect(tokenName)
	target := p.name(name.text, name.line)
	full := name.text
	method := false
	for p.tok.kind == "." || p.tok.kind == ":" {
		method = p.advance().kind == ":"
		key := p.expect(tokenName)
		full += "." + key.text
		target = &indexExpr{target, &constantExpr{String(key.text)}, key.line}
		if method {
			break
		}
	}
	return &assignStat{[]any{target}, []any{p.function(full, method, line)}, line}
}

func (p *parser) localStatement() any {
	s := &localStat{}
	var names []string
	var constants []bool
	for {
		names = append(names, p.expect(tokenName).text)
		constant := false
		if p.accept("<") {
			attribute := p.expect(tokenName)
			if attribute.text != "const" {
				p.fail(attribute.line, "unknown attribute '%s': want const", attribute.text)
			}
			p.expect(">")
			constant = true
		}
		constants = append(constants, constant)
		if !p.accept(",") {
			break
		}
	}
	if p.accept("=") {
		s.values = p.expressions()
	}
	for i, name := range names {
		v := p.declare(name)
		v.constant = constants[i]
		s.vars = append(s.vars, v)
	}
	return s
}

func (p *parser) expressionStatement() any {
	line := p.tok.line
	x := p.suffixed()
	if p.tok.kind != "=" && p.tok.kind != "," {
		call, ok := x.(*callExpr)
		if !ok {
			p.fail(line, "syntax error near %s", p.near())
		}
		return &callStat{call}
	}
	s := &assignStat{targets: []any{x}, line: line}
	for p.accept(",") {
		s.targets = append(s.targets, p.suffixed())
	}
	for _, target := range s.targets {
		switch target := target.(type) {
		case *localExpr:
			if target.v.constant {
				p.fail(line, "attempt to assign to const variable '%s'", target.v.name)
			}
		case *upvalueExpr, *indexExpr:
		default:
			p.fail(line, "syntax error near %s", p.near())
		}
	}
	p.expect("=")
	s.values = p.expressions()
	return s
}

func (p *parser) expressions() []any {
	list := []any{p.expression(0)}
	for p.accept(",") {
		list = append(list, p.expression(0))
	}
	return list
}

// priority is that of a binary operator, to the left and to the right; 0 for other tokens.
func priority(op string) (left, right int) {
	switch op {
	case "or":
		return 1, 1
	case "and":
		return 2, 2
	case "<", ">", "<=", ">=", "~=", "==":
		return 3, 3
	case "|":
		return 4, 4
	case "~":
		return 5, 5
	case "&":
		return 6, 6
	case "<<", ">>":
		return 7, 7
	case "..":
		return 9, 8
	case "+", "-":
		return 10, 10
	case "*", "/", "//", "%":
		return 11, 11
	case "^":
		return 14, 13
	}
	return 0, 0
}

const unaryPriority = 12

func (p *parser) expression(limit int) any {
	p.enter()
	defer p.leave()
	var x any
	switch op := p.tok.kind; op {
	case "not", "-", "#", "~":
		line := p.advance().line
		x = foldUnary(&unaryExpr{op, p.expression(unaryPriority), line})
	default:
		x = p.simple()
	}
	for {
		op := p.tok.kind
		left, right := priority(op)
		if left <= limit {
			return x
		}
		line := p.advance().line
		x = &binaryExpr{op, x, p.expression(right), line}
	}
}

// foldUnary makes a constant of a negated number.
func foldUnary(e *unaryExpr) any {
	c, ok := e.x.(*constantExpr)
	if !ok || e.op != "-" {
		return e
	}
	switch c.value.Kind() {
	case KindInt:
		return &constantExpr{Int(-c.value.asInt())}
	case KindFloat:
		return &constantExpr{Float(-c.value.asFloat())}
	}
	return e
}

func (p *parser) simple() any {
	t := p.tok
	switch t.kind {
	case tokenNumber:
		p.advance()
		return &constantExpr{t.value}
	case tokenString:
		p.advance()
		return &constantExpr{String(t.text)}
	case "nil":
		p.advance()
		return &constantExpr{}
	case "true", "false":
		p.advance()
		return &constantExpr{Bool(t.kind == "true")}
	case "...":
		p.advance()
		if !p.fs.proto.vararg {
			p.fail(t.line, "cannot use '...' outside a vararg function near '...'")
		}
		return &varargExpr{}
	case "{":
		return p.table()
	case "function":
		p.advance()
		return p.function("anonymous", false, t.line)
	}
	return p.suffixed()
}

func (p *parser) suffixed() any {
	var x any
	switch t := p.tok; t.kind {
	case tokenName:
		p.advance()
		x = p.name(t.text, t.line)
	case "(":
		p.advance()
		x = p.expression(0)
		p.closing(")", "(", t.line)
		switch x.(type) {
		case *callExpr, *varargExpr:
			x = &parenExpr{x}
		case *localExpr, *upvalueExpr, *indexExpr:
			x = &parenExpr{x} // no target of an assignment
		}
	default:
		p.unexpected()
	}
	for {
		line := p.tok.line
		switch p.tok.kind {
		case ".":
			p.advance()
			x = &indexExpr{x, &constantExpr{String(p.expect(tokenName).text)}, line}
		case "[":
			p.advance()
			key := p.expression(0)
			p.expect("]")
			x = &indexExpr{x, key, line}
		case ":":
			p.advance()
			name := p.expect(tokenName)
			x = &callExpr{x, name.text, p.arguments(), line}
		case "(", tokenString, "{":
			x = &callExpr{x, "", p.arguments(), line}
		default:
			return x
		}
	}
}

func (p *parser) arguments() []any {
	t := p.tok
	switch t.kind {
	case tokenString:
		p.advance()
		return []any{&constantExpr{String(t.text)}}
	case "{":
		return []any{p.table()}
	case "(":
		p.advance()
		if p.accept(")") {
			return nil
		}
		args := p.expressions()
		p.closing(")", "(", t.line)
		return args
	}
	p.fail(t.line, "function arguments expected near %s", p.near())
	return nil
}

func (p *parser) table() any {
	e := &tableExpr{line: p.tok.line}
	p.expect("{")
	for p.tok.kind != "}" {
		switch {
		case p.tok.kind == "[":
			p.advance()
			e.keys = append(e.keys, p.expression(0))
			p.expect("]")
			p.expect("=")
			e.values = append(e.values, p.expression(0))
		case p.tok.kind == tokenName && p.ahead.kind == "=":
			e.keys = append(e.keys, &constantExpr{String(p.advance().text)})
			p.advance()
			e.values = append(e.values, p.expression(0))
		default:
			e.keys = append(e.keys, nil)
			e.values = append(e.values, p.expression(0))
		}
		if !p.accept(",") && !p.accept(";") {
			break
		}
	}
	p.closing("}", "{", e.line)
	return e
}

// function reads parameters and body.
func (p *parser) function(name string, method bool, line int) *functionExpr {
	p.enter()
	fs := &functionState{parent: p.fs, outer: p.depth, proto: &proto{name: name, line: line, chunk: p.chunk}}
	p.fs = fs
	b, restore := p.open()
	if method {
		fs.proto.params = append(fs.proto.params, p.declare("self"))
	}
	p.expect("(")
	for p.tok.kind != ")" {
		if p.accept("...") {
			fs.proto.vararg = true
			break
		}
		fs.proto.params = append(fs.proto.params, p.declare(p.expect(tokenName).text))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	p.statements(b)
	p.closing("end", "function", line)
	restore()
	p.finish()
	fs.proto.body = b
	p.fs = fs.parent
	p.leave()
	return &functionExpr{fs.proto}
}
