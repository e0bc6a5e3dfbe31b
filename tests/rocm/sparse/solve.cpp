// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocSPARSE: triangular systems with one and several right sides, incomplete LU factorization and a
// tridiagonal system. Whole numbers and diagonals that are powers of two make every step exact, so
// that the solution is the one that was put in; the tridiagonal system is real and judged by its
// residual.
#include <cmath>
#include <limits>

#include "rocsparse_check.h"

namespace {

/// A row waits for those that its entries name: chains of several lengths, a diagonal of powers of
/// two.
template <class T>
Csr<T> triangle(int n, bool lower, bool unit, Draw& draw) {
  Csr<T> m;
  m.columns = n;
  for (int r = 0; r < n; ++r) {
    std::vector<std::pair<int, T>> row;
    const int others = lower ? r : n - 1 - r;
    std::vector<int> columns;
    for (int want = std::min(others, draw.below(5)); want > 0; --want) {
      const int reach = draw.below(2) == 0 ? others : std::min(others, 3);
      columns.push_back(lower ? r - 1 - draw.below(reach) : r + 1 + draw.below(reach));
    }
    columns.push_back(r);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const int c : columns) {
      row.emplace_back(c, c != r ? draw.small<T>()
                          : unit ? T{1}
                                 : static_cast<T>(1 << draw.below(3)));
    }
    m.add(row);
  }
  return m;
}

template <class T>
std::vector<T> times(const Csr<T>& m, const std::vector<T>& x) {
  std::vector<T> y(static_cast<size_t>(m.rows));
  m.for_each(
      [&](int r, int c, T v) { y[static_cast<size_t>(r)] += v * x[static_cast<size_t>(c)]; });
  return y;
}

/// What the library has to know about a matrix, and what its analysis finds.
struct System {
  System() {
    SPARSE_OK(rocsparse_create_mat_descr(&descr));
    SPARSE_OK(rocsparse_create_mat_info(&info));
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System() {
    rocsparse_destroy_mat_info(info);
    rocsparse_destroy_mat_descr(descr);
  }
  rocsparse_mat_descr descr;
  rocsparse_mat_info info;
};

void one_side(Check& check, rocsparse_handle handle, int n, bool lower, bool unit, bool transpose,
              Draw& draw) {
  // The matrix that is solved with is triangular the other way when the stored one is transposed.
  const Csr<double> m = triangle<double>(n, lower, unit, draw);
  std::vector<double> x(static_cast<size_t>(n));
  for (double& v : x) v = draw.small<double>();
  const std::vector<double> right = times(transpose ? transposed(m) : m, x);
  const DeviceCsr<double> a(m);
  const Device<double> f(right), y(right.size());
  const System s;
  SPARSE_OK(rocsparse_set_mat_fill_mode(
      s.descr, lower ? rocsparse_fill_mode_lower : rocsparse_fill_mode_upper));
  SPARSE_OK(rocsparse_set_mat_diag_type(
      s.descr, unit ? rocsparse_diag_type_unit : rocsparse_diag_type_non_unit));
  const rocsparse_operation operation =
      transpose ? rocsparse_operation_transpose : rocsparse_operation_none;
  const double alpha = 1;
  size_t bytes = 0;
  SPARSE_OK(rocsparse_dcsrsv_buffer_size(handle, operation, n, m.entries(), s.descr, a.value,
                                         a.start, a.column, s.info, &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_dcsrsv_analysis(handle, operation, n, m.entries(), s.descr, a.value, a.start,
                                      a.column, s.info, rocsparse_analysis_policy_force,
                                      rocsparse_solve_policy_auto, buffer));
  SPARSE_OK(rocsparse_dcsrsv_solve(handle, operation, n, m.entries(), &alpha, s.descr, a.value,
                                   a.start, a.column, s.info, f, y, rocsparse_solve_policy_auto,
                                   buffer));
  int pivot = 0;
  check.equal("pivot", 0, rocsparse_csrsv_zero_pivot(handle, s.descr, s.info, &pivot),
              rocsparse_status_success);
  equal(check, lower ? "lower" : "upper", y.host(), x);
}

void several_sides(Check& check, rocsparse_handle handle, int n, int sides, bool lower,
                   Draw& draw) {
  const Csr<float> m = triangle<float>(n, lower, false, draw);
  std::vector<float> x, right;
  for (int i = 0; i < sides; ++i) {
    std::vector<float> one(static_cast<size_t>(n));
    for (float& v : one) v = draw.small<float>();
    const auto product = times(m, one);
    x.insert(x.end(), one.begin(), one.end());
    right.insert(right.end(), product.begin(), product.end());
  }
  const DeviceCsr<float> a(m);
  const Device<float> b(right);
  const System s;
  SPARSE_OK(rocsparse_set_mat_fill_mode(
      s.descr, lower ? rocsparse_fill_mode_lower : rocsparse_fill_mode_upper));
  const auto none = rocsparse_operation_none;
  const auto policy = rocsparse_solve_policy_auto;
  const float alpha = 1;
  size_t bytes = 0;
  SPARSE_OK(rocsparse_scsrsm_buffer_size(handle, none, none, n, sides, m.entries(), &alpha, s.descr,
                                         a.value, a.start, a.column, b, n, s.info, policy, &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_scsrsm_analysis(handle, none, none, n, sides, m.entries(), &alpha, s.descr,
                                      a.value, a.start, a.column, b, n, s.info,
                                      rocsparse_analysis_policy_force, policy, buffer));
  SPARSE_OK(rocsparse_scsrsm_solve(handle, none, none, n, sides, m.entries(), &alpha, s.descr,
                                   a.value, a.start, a.column, b, n, s.info, policy, buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "several sides", b.host(), x);
}

/// L of ones on the diagonal times U, both of two diagonals: nothing fills in, so that the
/// factorization is complete.
void factors(Check& check, rocsparse_handle handle, int n, Draw& draw) {
  std::vector<double> below(static_cast<size_t>(n)), diagonal(below.size()), above(below.size());
  for (size_t i = 0; i < below.size(); ++i) {
    below[i] = draw.small<double>();
    diagonal[i] = static_cast<double>(1 << draw.below(3));
    above[i] = draw.small<double>();
  }
  Csr<double> product, expected;
  product.columns = expected.columns = n;
  for (int r = 0; r < n; ++r) {
    const auto i = static_cast<size_t>(r);
    std::vector<std::pair<int, double>> a, lu;
    if (r > 0) {
      a.emplace_back(r - 1, below[i] * diagonal[i - 1]);
      lu.emplace_back(r - 1, below[i]);
    }
    a.emplace_back(r, diagonal[i] + (r > 0 ? below[i] * above[i - 1] : 0));
    lu.emplace_back(r, diagonal[i]);
    if (r + 1 < n) {
      a.emplace_back(r + 1, above[i]);
      lu.emplace_back(r + 1, above[i]);
    }
    product.add(a);
    expected.add(lu);
  }
  const DeviceCsr<double> a(product);
  const System s;
  size_t bytes = 0;
  SPARSE_OK(rocsparse_dcsrilu0_buffer_size(handle, n, product.entries(), s.descr, a.value, a.start,
                                           a.column, s.info, &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_dcsrilu0_analysis(handle, n, product.entries(), s.descr, a.value, a.start,
                                        a.column, s.info, rocsparse_analysis_policy_force,
                                        rocsparse_solve_policy_auto, buffer));
  SPARSE_OK(rocsparse_dcsrilu0(handle, n, product.entries(), s.descr, a.value, a.start, a.column,
                               s.info, rocsparse_solve_policy_auto, buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "factors", a.value.host(), expected.value);
}

void tridiagonal(Check& check, rocsparse_handle handle, int n, int sides, Draw& draw) {
  std::vector<double> below(static_cast<size_t>(n)), diagonal(below.size()), above(below.size());
  std::vector<double> right(static_cast<size_t>(n) * sides);
  for (size_t i = 0; i < below.size(); ++i) {
    below[i] = i == 0 ? 0 : draw.real<double>();
    diagonal[i] = 3 + draw.real<double>();  // dominant
    above[i] = i + 1 == below.size() ? 0 : draw.real<double>();
  }
  for (double& v : right) v = draw.real<double>();
  const Device<double> dl(below), d(diagonal), du(above), b(right);
  size_t bytes = 0;
  SPARSE_OK(rocsparse_dgtsv_no_pivot_buffer_size(handle, n, sides, dl, d, du, b, n, &bytes));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(rocsparse_dgtsv_no_pivot(handle, n, sides, dl, d, du, b, n, buffer));
  HIP_OK(hipDeviceSynchronize());
  const std::vector<double> x = b.host();
  for (int side = 0; side < sides; ++side) {
    const double* column = x.data() + static_cast<size_t>(side) * n;
    for (int r = 0; r < n; ++r) {
      const auto i = static_cast<size_t>(r);
      double sum = diagonal[i] * column[r];
      if (r > 0) sum += below[i] * column[r - 1];
      if (r + 1 < n) sum += above[i] * column[r + 1];
      check.near("residual", static_cast<size_t>(side) * n + i, sum,
                 right[static_cast<size_t>(side) * n + i],
                 64 * std::numeric_limits<double>::epsilon());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 250;
  Draw draw(static_cast<uint64_t>(n));
  Check check;
  rocsparse_handle handle;
  SPARSE_OK(rocsparse_create_handle(&handle));
  for (const bool lower : {true, false}) {
    for (const bool unit : {false, true}) {
      for (const bool transpose : {false, true})
        one_side(check, handle, n, lower, unit, transpose, draw);
    }
    several_sides(check, handle, n, 9, lower, draw);
  }
  factors(check, handle, n, draw);
  tridiagonal(check, handle, n, 3, draw);
  SPARSE_OK(rocsparse_destroy_handle(handle));
  return check.status();
}
