# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=x.cpp -DSCHEMAS="a.schema.json;b.schema.json" -P embed.cmake
# Writes a C++ file that gives the schemas' texts by name (harness/report/schema_check.h).
set(entries "")
set(arrays "")
set(index 0)
foreach(schema IN LISTS SCHEMAS)
  get_filename_component(name "${schema}" NAME)
  string(REPLACE ".schema.json" "" name "${name}")
  file(READ "${schema}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char kText${index}[] = {${bytes}};\n")
  string(APPEND entries "      {\"${name}\", std::string(kText${index}, sizeof kText${index})},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from the schemas in results_schema.
#include \"harness/report/schema_check.h\"

namespace sits::report {
namespace {
${arrays}}  // namespace

const Schemas &embedded_schemas() {
  static const Schemas schemas{
${entries}  };
  return schemas;
}

}  // namespace sits::report
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
