// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A program of two modules (HSAIL PRM 4.2.1, 4.12): kernel &k of the first calls &scale of the
/// second, which reads a variable of the first and one of its own; both have a variable &local and
/// a function &add of module linkage. out[i] = (i + 1000) * 3 + 7 + 20.
namespace cuvette::hsail_programs {

inline constexpr const char* kFirst = R"(module &first:1:0:$full:$large:$default;
decl prog function &scale(arg_u32 %r)(arg_u32 %x);
decl prog global_u32 &factor;
prog global_u32 &summand = 7;
readonly_u32 &local = 1000;
group_u32 &cell;
function &add(arg_u32 %r)(arg_u32 %x)
{
	ld_arg_align(4)_u32 $s0, [%x];
	ld_readonly_align(4)_u32 $s1, [&local];
	add_u32 $s0, $s0, $s1;
	st_arg_align(4)_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out)
{
	ld_kernarg_align(8)_u64 $d0, [%out];
	workitemabsid_u32 $s5, 0;
	mov_b32 $s0, $s5;
	{
		arg_u32 %r;
		arg_u32 %x;
		st_arg_align(4)_u32 $s0, [%x];
		call &add(%r)(%x);
		ld_arg_align(4)_u32 $s0, [%r];
	}
	{
		arg_u32 %r;
		arg_u32 %x;
		st_arg_align(4)_u32 $s0, [%x];
		call &scale(%r)(%x);
		ld_arg_align(4)_u32 $s0, [%r];
	}
	st_group_align(4)_u32 1, [&cell];
	shl_u32 $s5, $s5, 2;
	cvt_u64_u32 $d1, $s5;
	add_u64 $d0, $d0, $d1;
	st_global_align(4)_u32 $s0, [$d0];
};
)";

inline constexpr const char* kSecond = R"(module &second:1:0:$full:$large:$near;
decl prog global_u32 &summand;
prog global_u32 &factor = 3;
readonly_u32 &local = 20;
group_u32 &cell;
function &add(arg_u32 %r)(arg_u32 %x)
{
	ld_arg_align(4)_u32 $s0, [%x];
	ld_readonly_align(4)_u32 $s1, [&local];
	st_group_align(4)_u32 $s1, [&cell];
	ld_group_align(4)_u32 $s1, [&cell];
	add_u32 $s0, $s0, $s1;
	st_arg_align(4)_u32 $s0, [%r];
};
prog function &scale(arg_u32 %r)(arg_u32 %x)
{
	ld_arg_align(4)_u32 $s0, [%x];
	ld_global_align(4)_u32 $s1, [&factor];
	ld_global_align(4)_u32 $s2, [&summand];
	mad_u32 $s0, $s0, $s1, $s2;
	{
		arg_u32 %q;
		arg_u32 %y;
		st_arg_align(4)_u32 $s0, [%y];
		call &add(%q)(%y);
		ld_arg_align(4)_u32 $s0, [%q];
	}
	st_arg_align(4)_u32 $s0, [%r];
};
)";

constexpr unsigned expected(unsigned i) {
  return (i + 1000) * 3 + 7 + 20;
}

}  // namespace cuvette::hsail_programs
