package interpreted

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// unrecoveredCallbacks lists fields of net/http, crypto/tls and httptrace whose functions run in goroutines that do not
// recover panics.
var unrecoveredCallbacks = []string{
	"Dial", "DialContext", "DialTLS", "DialTLSContext", "Proxy", "GetProxyConnectHeader", "OnProxyConnectResponse",
	"ConnState", "ConnContext", "BaseContext", "GetClientCertificate", "VerifyConnection", "VerifyPeerCertificate",
	"DNSStart", "DNSDone", "ConnectStart", "ConnectDone", "TLSHandshakeStart", "TLSHandshakeDone", "Got1xxResponse",
	"Got100Continue", "GotFirstResponseByte", "WroteHeaderField", "WroteHeaders", "WroteRequest", "Wait100Continue",
}

// refusal returns why Traefik's interpreter must not run a node, or "".
func refusal(node ast.Node, isBackground bool) string {
	switch n := node.(type) {
	case *ast.GoStmt:
		if !isBackground {
			return "a panic of this goroutine ends the process: use background.Go"
		}
	case *ast.CallExpr:
		return refusalOfCall(n, isBackground)
	case *ast.AssignStmt:
		return refusalOfAssignment(n)
	case *ast.ReturnStmt:
		return refusalOfResults(n.Results)
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			return refusalOfConstants(n.Specs)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(unrecoveredCallbacks, key.Name) {
			return "the function is called in a goroutine of the standard library, where a panic ends the process"
		}
	case *ast.RangeStmt:
		if isHeader(n.X) {
			return "a client may send 100,000 headers, which takes a second: look keys up"
		}
	case *ast.FuncLit:
		return refusalOfParameters(n.Type)
	case *ast.FuncDecl:
		if n.Recv != nil && n.Name.Name == "Read" {
			return "net/http reads bodies in separate goroutines, where a panic ends the process: use compiled types"
		}
		return refusalOfParameters(n.Type)
	}
	return ""
}

// isHeader reports whether an expression has one of the names of a message's headers.
func isHeader(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name == "header" || e.Name == "h"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Header"
	}
	return false
}

func refusalOfParameters(function *ast.FuncType) string {
	for _, parameter := range function.Params.List {
		if len(parameter.Names) == 0 {
			return "the interpreter panics where compiled code calls it: name the parameters, or write _"
		}
	}
	return ""
}

func refusalOfCall(call *ast.CallExpr, isBackground bool) string {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch function.Sel.Name {
	case "SetFinalizer", "AddCleanup":
		if !isBackground {
			return "a panic of this function ends the process: use background.OnUnreachable"
		}
	case "AfterFunc":
		if last, ok := call.Args[len(call.Args)-1].(*ast.Ident); !ok || last.Name != "cancel" {
			return "a panic of this function ends the process: use background.After, or the cancel function of a context"
		}
	}
	return ""
}

// refusalOfAssignment checks assignments of several values. The interpreter loses the other values if it evaluates one
// of the expressions directly into its destination.
func refusalOfAssignment(assignment *ast.AssignStmt) string {
	if len(assignment.Rhs) < 2 {
		return ""
	}
	for i, value := range assignment.Rhs {
		if _, isCall := value.(*ast.CallExpr); isCall && assignment.Tok == token.ASSIGN || writesItself(value) {
			return "the interpreter loses the other values: use one statement for each"
		}
		if field, ok := assignment.Lhs[i].(*ast.SelectorExpr); ok && slices.Contains(unrecoveredCallbacks, field.Sel.Name) {
			return "the function is called in a goroutine of the standard library, where a panic ends the process"
		}
	}
	return ""
}

var builtins = []string{"append", "cap", "copy", "len", "make", "max", "min", "new"}

// refusalOfResults checks the results of a function. The interpreter writes the result of a built-in function to the
// first result.
func refusalOfResults(results []ast.Expr) string {
	for i, result := range results {
		call, isCall := result.(*ast.CallExpr)
		if !isCall || i == 0 {
			continue
		}
		if name, ok := call.Fun.(*ast.Ident); ok && slices.Contains(builtins, name.Name) {
			return "the interpreter writes this to the first result: use a separate statement"
		}
	}
	return ""
}

func writesItself(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.Ident:
		return v.Name == "nil" // assigning nil to a field panics there
	case *ast.UnaryExpr:
		return v.Op == token.ARROW
	}
	return false
}

// refusalOfConstants checks constants of a named type. When an operator computes the value, the interpreter drops the
// type: the constant then does not equal a constant of the type with the same value.
func refusalOfConstants(specs []ast.Spec) string {
	for _, spec := range specs {
		constants := spec.(*ast.ValueSpec)
		name, isName := constants.Type.(*ast.Ident)
		isBuiltIn := constants.Type == nil || isName && types.Universe.Lookup(name.Name) != nil
		if !isBuiltIn && slices.ContainsFunc(constants.Values, isComputed) {
			return "== and != with this constant are wrong: convert the value, as in kind(1 << iota)"
		}
	}
	return ""
}

// isComputed reports whether a binary operator computes a value, outside of conversions.
func isComputed(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return isComputed(v.X)
	case *ast.ParenExpr:
		return isComputed(v.X)
	}
	return false
}

// declaredFunctions returns the names of the functions of a file, without methods.
func declaredFunctions(file *ast.File) []string {
	var names []string
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil {
			names = append(names, function.Name.Name)
		}
	}
	return names
}

// refusalOfReturn returns the reason if the node is a function that returns a declared function as a value, otherwise "".
func refusalOfReturn(node ast.Node, declared []string) string {
	function, ok := node.(*ast.FuncDecl)
	if !ok || !returnsFunction(function.Type) || function.Body == nil {
		return ""
	}
	why := ""
	ast.Inspect(function.Body, func(node ast.Node) bool {
		statement, ok := node.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		for _, result := range statement.Results {
			if name, ok := result.(*ast.Ident); ok && slices.Contains(declared, name.Name) {
				why = "the interpreter panics where it returns a declared function: return a method value or a literal"
			}
		}
		return true
	})
	return why
}

func returnsFunction(function *ast.FuncType) bool {
	if function.Results == nil {
		return false
	}
	return slices.ContainsFunc(function.Results.List, func(result *ast.Field) bool {
		_, ok := result.Type.(*ast.FuncType)
		return ok
	})
}
