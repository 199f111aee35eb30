// See ast_print.h.
#include "compiler/analyze/ast_print.h"

#include <charconv>

namespace ptc {
namespace {

class Printer {
 public:
  explicit Printer(const Ast& ast) : ast_(ast) {}

  std::string run() {
    if (ast_.root != nullptr) print(*ast_.root);
    return std::move(out_);
  }

 private:
  void print_name(LocalId local) {
    const std::string& name = ast_.locals[local].name;
    out_ += name.empty() ? "_" : name;
    out_ += "." + std::to_string(local);
  }

  void print_items(std::string_view open, const Constant& constant, std::string_view close) {
    out_ += open;
    for (std::size_t i = 0; i < constant.items.size(); ++i) {
      if (i > 0) out_ += " ";
      print_constant(constant.items[i]);
    }
    out_ += close;
  }

  void print_constant(std::uint32_t index) {
    const Constant& constant = ast_.constants[index];
    switch (constant.kind) {
      case Constant::Kind::Nil: out_ += "nil"; break;
      case Constant::Kind::False: out_ += "false"; break;
      case Constant::Kind::True: out_ += "true"; break;
      case Constant::Kind::Int: out_ += std::to_string(constant.integer); break;
      case Constant::Kind::Float: print_float(constant.real); break;
      case Constant::Kind::BigInt: out_ += constant.text; break;
      case Constant::Kind::String: out_ += "\"" + constant.text + "\""; break;
      case Constant::Kind::Keyword: out_ += ":" + constant.text; break;
      case Constant::Kind::Regex: out_ += "#\"" + constant.text + "\""; break;
      case Constant::Kind::Vector: print_items("[", constant, "]"); break;
      case Constant::Kind::Map: print_items("{", constant, "}"); break;
      case Constant::Kind::Set: print_items("#{", constant, "}"); break;
    }
  }

  void print_float(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    out_.append(text, end);
    if (std::string_view(text, end).find_first_of(".en") == std::string_view::npos) out_ += ".0";
  }

  void print_kids(const Node& node) {
    for (const Node* kid : node.kids) {
      out_ += " ";
      print(*kid);
    }
    out_ += ")";
  }

  // (let [a.0 1] body); also for loop.
  void print_binder(std::string_view word, const Node& node) {
    out_ += "(" + std::string(word) + " [";
    for (std::size_t i = 0; i < node.locals.size(); ++i) {
      if (i > 0) out_ += " ";
      print_name(node.locals[i]);
      out_ += " ";
      print(*node.kids[i]);
    }
    out_ += "] ";
    print(*node.kids.back());
    out_ += ")";
  }

  void print_function(const Node& node) {
    out_ += "(fn ";
    if (node.local != kNoLocal) {
      print_name(node.local);
      out_ += " ";
    }
    out_ += "[";
    for (std::size_t i = 0; i < node.locals.size(); ++i) {
      if (i > 0) out_ += " ";
      if (node.variadic && i + 1 == node.locals.size()) out_ += "& ";
      print_name(node.locals[i]);
    }
    out_ += "]";
    print_kids(node);
  }

  void print_clause(const ForClause& clause) {
    switch (clause.kind) {
      case ForClause::Kind::Bind: print_name(clause.local); break;
      case ForClause::Kind::Let:
        out_ += ":let ";
        print_name(clause.local);
        break;
      case ForClause::Kind::When: out_ += ":when"; break;
      case ForClause::Kind::While: out_ += ":while"; break;
    }
    out_ += " ";
    print(*clause.expression);
  }

  void print_for(const Node& node) {
    out_ += node.collect ? "(for [" : node.local == kNoLocal ? "(doseq [" : "(fold [";
    if (node.local != kNoLocal) {
      print_name(node.local);
      out_ += " ";
      print(*node.kids[1]);
      out_ += " ";
    }
    for (std::size_t i = 0; i < node.clauses.size(); ++i) {
      if (i > 0) out_ += " ";
      print_clause(node.clauses[i]);
    }
    out_ += "] ";
    print(*node.kids[0]);
    out_ += ")";
  }

  void print_update(const Node& node) {
    out_ += "(";
    out_ += builtin_info(node.builtin).name;
    out_ += " ";
    print_name(node.locals[0]);
    print_kids(node);
  }

  void print_case(const Node& node) {
    out_ += "(case ";
    print(*node.kids[0]);
    for (std::size_t i = 0; i < node.case_constants.size(); ++i) {
      out_ += " (";
      for (std::size_t k = 0; k < node.case_constants[i].size(); ++k) {
        if (k > 0) out_ += " ";
        print_constant(node.case_constants[i][k]);
      }
      out_ += ") ";
      print(*node.kids[1 + i]);
    }
    out_ += " ";
    print(*node.kids.back());
    out_ += ")";
  }

  void print_form(std::string_view head, const Node& node) {
    out_ += "(";
    out_ += head;
    print_kids(node);
  }

  void print(const Node& node) {
    switch (node.kind) {
      case NodeKind::Const: return print_constant(node.constant);
      case NodeKind::Local: return print_name(node.local);
      case NodeKind::Global:
        out_ += node.text;
        if (node.or_nil) out_ += "|nil";
        if (node.or_builtin) out_ += "|builtin";
        return;
      case NodeKind::Builtin: out_ += "#" + std::string(builtin_info(node.builtin).name); return;
      case NodeKind::Tool: out_ += "tool/" + node.text; return;
      case NodeKind::Data: out_ += "data/" + node.text; return;
      case NodeKind::History: out_ += "*" + std::to_string(node.number); return;
      case NodeKind::If: return print_form("if", node);
      case NodeKind::Do: return print_form("do", node);
      case NodeKind::Let: return print_binder("let", node);
      case NodeKind::Loop: return print_binder("loop", node);
      case NodeKind::Recur: return print_form("recur", node);
      case NodeKind::Fn: return print_function(node);
      case NodeKind::Call: return print_form("call", node);
      case NodeKind::Invoke: return print_form(builtin_info(node.builtin).name, node);
      case NodeKind::ToolCall: return print_form("tool/" + node.text, node);
      case NodeKind::Def: return print_form((node.once ? "defonce " : "def ") + node.text, node);
      case NodeKind::MakeVector: return print_form("make-vector", node);
      case NodeKind::MakeSet: return print_form("make-set", node);
      case NodeKind::MakeMap: return print_form("make-map", node);
      case NodeKind::Task: return print_form("task", node);
      case NodeKind::Return: return print_form("return", node);
      case NodeKind::Fail: return print_form("fail", node);
      case NodeKind::For: return print_for(node);
      case NodeKind::Update: return print_update(node);
      case NodeKind::Case: return print_case(node);
    }
  }

  const Ast& ast_;
  std::string out_;
};

}  // namespace

std::string print_ast(const Ast& ast) { return Printer(ast).run(); }

}  // namespace ptc
