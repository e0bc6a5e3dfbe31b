// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Promises and declarations of a module: control directives (HSAIL PRM 13.5), module linkage
// (4.12), arguments of calls (10.2), extensions (13.1). In text with line and column, in BRIG with
// offset.
#include "hsail/brig.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

const std::string kPromisesHead = "module &m:1:1:$full:$large:$default;\n";

/// All messages of a text, one per line; the same module as BRIG has the same ones.
std::string errors_of(const std::string& text) {
  const Outcome parsed = parse_text(text, "t.hsail");
  EXPECT_TRUE(parsed.ok()) << text << (parsed.ok() ? "" : parsed.errors[0].str());
  std::string out;
  const auto errors = validate(parsed.module);
  for (const base::Error& e : errors) out += (out.empty() ? "" : "\n") + testing::without_id(e);

  const auto brig = write_brig(parsed.module);
  EXPECT_TRUE(brig.ok());
  const Outcome read = parse_module(brig->data(), brig->size(), "t.brig");
  EXPECT_EQ(read.errors.size(), errors.size()) << text;
  for (size_t i = 0; i < std::min(read.errors.size(), errors.size()); ++i) {
    EXPECT_EQ(read.errors[i].where.file, "t.brig");
    EXPECT_EQ(read.errors[i].where.line, 0u);
    EXPECT_GT(read.errors[i].where.offset, 0u) << text;
    // Up to the place of another entry.
    const std::string what = errors[i].what.substr(0, errors[i].what.find(" at line"));
    EXPECT_EQ(read.errors[i].what.substr(0, what.size()), what);
  }
  return out;
}

std::string kernel(const std::string& directives, const std::string& before = "",
                   const std::string& body = "") {
  return kPromisesHead + before + "prog kernel &k()\n{\n" + directives + "\n" + body + "};\n";
}

TEST(ControlDirectives, Values) {
  const char* const good[] = {
      "maxdynamicgroupsize 0;",
      "maxflatgridsize WAVESIZE;",
      "maxflatworkgroupsize WAVESIZE;",
      "requiredgridsize WAVESIZE, 1, WAVESIZE;",
      "requireddim 3;",
      "requiredworkgroupsize 1, WAVESIZE, 1;",
      "enabledetectexceptions 0;",
      "requiredgroupbaseptralign 256;",
  };
  for (const char* text : good) EXPECT_EQ(errors_of(kernel(text)), "") << text;
  const struct {
    const char* text;
    const char* message;
  } bad[] = {
      {"maxflatworkgroupsize 0;", "'maxflatworkgroupsize' is above 0"},
      {"maxflatgridsize 0;", "'maxflatgridsize' is above 0"},
      {"requiredgridsize 1, 0, 1;", "'requiredgridsize' is above 0"},
      {"requiredworkgroupsize 1, 1, 0;", "'requiredworkgroupsize' is above 0"},
      {"requireddim 0;", "requireddim is 1, 2 or 3"},
      {"requireddim WAVESIZE;", "'requireddim' takes 1 values of type 'u32', not WAVESIZE"},
      {"maxdynamicgroupsize WAVESIZE;",
       "'maxdynamicgroupsize' takes 1 values of type 'u32', not WAVESIZE"},
      {"requiredgroupbaseptralign WAVESIZE;",
       "'requiredgroupbaseptralign' takes 1 values of type 'u32', not WAVESIZE"},
      {"enablebreakexceptions WAVESIZE;",
       "'enablebreakexceptions' takes 1 values of type 'u32', not WAVESIZE"},
      {"enabledetectexceptions WAVESIZE;",
       "'enabledetectexceptions' takes 1 values of type 'u32', not WAVESIZE"},
  };
  for (const auto& row : bad) {
    EXPECT_EQ(errors_of(kernel(row.text)), std::string("t.hsail:4:1: error: ") + row.message);
  }
}

TEST(ControlDirectives, Repeated) {
  const char* const good[] = {
      "requireddim 2;\nrequireddim 2;",
      "requiredgridsize 64, 2, 1;\nrequiredgridsize WAVESIZE, 2, 1;",
      "requirenopartialworkgroups;\nrequirenopartialworkgroups;",
      "enabledetectexceptions 1;\nenabledetectexceptions 2;",
  };
  for (const char* text : good) EXPECT_EQ(errors_of(kernel(text)), "") << text;
  const struct {
    std::string directive, first, second;
  } bad[] = {
      {"requireddim", "2", "1"},
      {"maxdynamicgroupsize", "0", "4"},
      {"requiredgroupbaseptralign", "8", "4"},
  };
  for (const auto& [directive, first, second] : bad) {
    EXPECT_EQ(errors_of(kernel(directive + " " + first + ";\n" + directive + " " + second + ";")),
              "t.hsail:5:1: error: '" + directive + "' has other values at line 4");
  }
}

/// 13.5: one value in the kernel and in all functions that it calls.
TEST(ControlDirectives, AlongCalls) {
  const auto program = [](const std::string& function, const std::string& of_kernel,
                          const std::string& call) {
    return kernel(
        of_kernel,
        "function &g()()\n{\n" + function + "\n};\nfunction &f()()\n{\n{ call &g()(); }\n};\n",
        call);
  };
  const std::string call = "{ call &f()(); }\n";
  EXPECT_EQ(errors_of(program("requireddim 2;", "requireddim 2;", call)), "");
  EXPECT_EQ(errors_of(program("requireddim 2;", "", call)), "");
  EXPECT_EQ(errors_of(program("requireddim 2;", "requireddim 1;", "")), "") << "it is not called";
  EXPECT_EQ(errors_of(program("requireddim 2;", "requireddim 1;", call)),
            "t.hsail:4:1: error: 'requireddim' has other values at line 12");
  EXPECT_EQ(errors_of(program("requireddim 2;", "requireddim 1;",
                              "mov_b32 $s0, 0;\n{ scall_u32 $s0()() [&g, &f]; }\n")),
            "t.hsail:4:1: error: 'requireddim' has other values at line 12");
  const std::string whole = "requirenopartialworkgroups;";
  EXPECT_EQ(errors_of(program(whole, whole, call)), "");
  EXPECT_EQ(errors_of(program(whole, "", call)),
            "t.hsail:4:1: error: 'requirenopartialworkgroups' of a function has to stand in kernel "
            "'&k', which calls it, too");
}

/// 13.5: sizes, dimensions and maxima agree, whichever comes first.
TEST(ControlDirectives, Sizes) {
  const char* const good[] = {
      "requireddim 2; requiredworkgroupsize 8, 8, 1; maxflatworkgroupsize 64;",
      "requiredgridsize 4294967295, 4294967295, 1; maxflatgridsize 18446744065119617025;",
      "requireddim 1; requiredgridsize 5, 1, 1;",
  };
  for (const char* text : good) EXPECT_EQ(errors_of(kernel(text)), "") << text;
  const struct {
    const char *first, *second, *message;
  } bad[] = {
      {"requireddim 1;", "requiredworkgroupsize 8, 2, 1;",
       "'requiredworkgroupsize' is above 1 in a dimension that is not used by 'requireddim' at "
       "line 4"},
      {"requiredgridsize 8, 2, 3;", "requireddim 2;",
       "'requireddim': 'requiredgridsize' at line 4 is above 1 in a dimension that is not used"},
      {"maxflatworkgroupsize 63;", "requiredworkgroupsize 8, 8, 1;",
       "'requiredworkgroupsize' is more than allowed by 'maxflatworkgroupsize' at line 4"},
      {"requiredgridsize 4294967296, 4294967296, 1;", "maxflatgridsize 1;",
       "'maxflatgridsize': 'requiredgridsize' at line 4 is more than allowed"},
  };
  for (const auto& row : bad) {
    EXPECT_EQ(errors_of(kernel(std::string(row.first) + "\n" + row.second)),
              std::string("t.hsail:5:1: error: ") + row.message);
  }
}

TEST(ModuleLinkage, DeclarationsHaveADefinition) {
  const char* const good[] = {
      "decl global_u32 &x;\nglobal_u32 &x;\n",
      "decl prog global_u32 &x;\n",
      "decl function &f()();\ndecl function &f()();\nfunction &f()()\n{\n};\n",
      "signature &s()();\n",
      "fbarrier &b;\ndecl fbarrier &b;\n",
  };
  for (const char* text : good) EXPECT_EQ(errors_of(kPromisesHead + text), "") << text;
  for (const char* what : {"global_u32 &x", "readonly_u32 &x[4]", "group_u32 &x", "fbarrier &x",
                           "function &x()()", "indirect function &x()()", "kernel &x()"}) {
    const std::string message = errors_of(kPromisesHead + "decl " + what + ";\n");
    EXPECT_EQ(message.substr(0, 12), "t.hsail:2:6:") << message;
    EXPECT_NE(message.find("'&x' of module linkage is declared and not defined in the module"),
              std::string::npos)
        << message;
  }
}

/// 10.2: the way of the actual arguments.
TEST(CallArguments, Direction) {
  const auto call = [](const std::string& before, const std::string& after) {
    return errors_of(kernel(
        "", "function &f(arg_u32 %r)(arg_u32 %x)\n{\n};\n",
        "{\narg_u32 %r;\narg_u32 %x;\n" + before + "\ncall &f(%r)(%x);\n" + after + "\n}\n"));
  };
  EXPECT_EQ(call("st_arg_u32 1, [%x];", "ld_arg_u32 $s0, [%r];"), "");
  EXPECT_EQ(call("", ""), "");
  const std::string in = " error: '%x' is an input argument of the call: only stored, before it";
  const std::string out = " error: '%r' is the output argument of the call: only loaded, after it";
  EXPECT_EQ(call("ld_arg_u32 $s0, [%x];", ""), "t.hsail:11:1:" + in);
  EXPECT_EQ(call("", "ld_arg_u32 $s0, [%x];"), "t.hsail:13:1:" + in);
  EXPECT_EQ(call("", "st_arg_u32 1, [%x];"), "t.hsail:13:1:" + in);
  EXPECT_EQ(call("st_arg_u32 1, [%r];", ""), "t.hsail:11:1:" + out);
  EXPECT_EQ(call("ld_arg_u32 $s0, [%r];", ""), "t.hsail:11:1:" + out);
  EXPECT_EQ(call("", "st_arg_u32 1, [%r];"), "t.hsail:13:1:" + out);
  // Only the kind of the access counts where the text is not the order of execution.
  EXPECT_EQ(call("br @fill;\n@go:",
                 "ld_arg_u32 $s0, [%r];\nbr @out;\n@fill:\n"
                 "st_arg_u32 1, [%x];\nbr @go;\n@out:"),
            "");
}

TEST(Extensions, KnownOnes) {
  for (const char* text : {"", "IMAGE", "amd:gcn", "amd:mipmap", "cuvette:mfma"}) {
    EXPECT_EQ(errors_of(kPromisesHead + "extension \"" + text + "\";\n"), "") << text;
  }
  EXPECT_EQ(errors_of(kPromisesHead + "extension \"foo:bar\":0:1;\n"),
            "t.hsail:2:1: error: extension \"foo:bar\" is not supported, expected CORE, IMAGE, "
            "amd:gcn, amd:mipmap or cuvette:mfma");
  EXPECT_EQ(errors_of(kPromisesHead + "extension \"amd:gcn\":1:1;\nextension \"amd:gcn\";\n"), "");
  EXPECT_EQ(errors_of(kPromisesHead + "extension \"amd:gcn\":1:0;\nextension \"amd:gcn\";\n"),
            "t.hsail:3:1: error: extension \"amd:gcn\" has another version at line 2");
}

}  // namespace
}  // namespace cuvette::hsail
