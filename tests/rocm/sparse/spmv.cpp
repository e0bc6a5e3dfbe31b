// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocSPARSE: y = alpha A x + beta y in every algorithm for compressed rows, in ELL, in coordinates
// and transposed, in float and double. Whole numbers are compared exactly, real ones within the
// bound of a sum's rounding errors.
#include <cmath>
#include <limits>

#include "rocsparse_check.h"

namespace {

template <class T>
struct Problem {
  Csr<T> a;
  std::vector<T> x, y, expected, magnitude;  // magnitude: the same sums of absolute values
  T alpha, beta;

  Problem(const Csr<T>& matrix, std::vector<T> vector, std::vector<T> add_to, T factor, T keep)
      : a(matrix), x(std::move(vector)), y(std::move(add_to)), alpha(factor), beta(keep) {
    expected.resize(y.size());
    magnitude.resize(y.size());
    for (size_t r = 0; r < y.size(); ++r) {
      long double sum = 0, size = 0;
      for (int i = a.start[r]; i < a.start[r + 1]; ++i) {
        const long double product = static_cast<long double>(a.value[i]) * x[a.column[i]];
        sum += product;
        size += std::fabs(product);
      }
      expected[r] = static_cast<T>(alpha * sum + static_cast<long double>(beta) * y[r]);
      magnitude[r] = static_cast<T>(std::fabs(alpha) * size + std::fabs(beta * y[r]));
    }
  }
  void compare(Check& check, const char* what, const std::vector<T>& found, bool exact) const {
    for (size_t r = 0; r < found.size(); ++r) {
      const auto terms = static_cast<T>(a.start[r + 1] - a.start[r] + 4);
      check.near(what, r, found[r], expected[r],
                 exact ? T{0} : terms * std::numeric_limits<T>::epsilon() * magnitude[r]);
    }
  }
};

template <class T>
rocsparse_datatype datatype() {
  return sizeof(T) == 4 ? rocsparse_datatype_f32_r : rocsparse_datatype_f64_r;
}

/// By the generic interface: size of the buffer, then the product.
template <class T>
void generic(Check& check, rocsparse_handle handle, const Problem<T>& p,
             rocsparse_spmat_descr matrix, rocsparse_operation operation,
             rocsparse_spmv_alg algorithm, const char* what, bool exact) {
  const Device<T> x(p.x), y(p.y);
  rocsparse_dnvec_descr dx, dy;
  SPARSE_OK(rocsparse_create_dnvec_descr(&dx, static_cast<int64_t>(p.x.size()), x, datatype<T>()));
  SPARSE_OK(rocsparse_create_dnvec_descr(&dy, static_cast<int64_t>(p.y.size()), y, datatype<T>()));
  size_t bytes = 0;
  SPARSE_OK(rocsparse_spmv(handle, operation, &p.alpha, matrix, dx, &p.beta, dy, datatype<T>(),
                           algorithm, &bytes, nullptr));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(rocsparse_spmv(handle, operation, &p.alpha, matrix, dx, &p.beta, dy, datatype<T>(),
                           algorithm, &bytes, buffer));
  HIP_OK(hipDeviceSynchronize());
  p.compare(check, what, y.host(), exact);
  rocsparse_destroy_dnvec_descr(dx);
  rocsparse_destroy_dnvec_descr(dy);
}

template <class T>
void by_rows(Check& check, rocsparse_handle handle, const Problem<T>& p, bool exact) {
  const DeviceCsr<T> a(p.a);
  const struct {
    rocsparse_spmv_alg algorithm;
    const char* what;
  } algorithms[] = {{rocsparse_spmv_alg_csr_adaptive, "adaptive"},
                    {rocsparse_spmv_alg_csr_stream, "stream"}};
  for (const auto& [algorithm, what] : algorithms) {
    rocsparse_spmat_descr matrix;  // holds what the analysis finds
    SPARSE_OK(rocsparse_create_csr_descr(&matrix, p.a.rows, p.a.columns, p.a.entries(), a.start,
                                         a.column, a.value, rocsparse_indextype_i32,
                                         rocsparse_indextype_i32, rocsparse_index_base_zero,
                                         datatype<T>()));
    generic(check, handle, p, matrix, rocsparse_operation_none, algorithm, what, exact);
    rocsparse_destroy_spmat_descr(matrix);
  }
}

template <class T>
void by_coordinates(Check& check, rocsparse_handle handle, const Problem<T>& p, bool exact) {
  std::vector<int> row;
  p.a.for_each([&](int r, int, T) { row.push_back(r); });
  const DeviceCsr<T> a(p.a);
  const Device<int> rows(row);
  rocsparse_spmat_descr matrix;
  SPARSE_OK(rocsparse_create_coo_descr(&matrix, p.a.rows, p.a.columns, p.a.entries(), rows,
                                       a.column, a.value, rocsparse_indextype_i32,
                                       rocsparse_index_base_zero, datatype<T>()));
  generic(check, handle, p, matrix, rocsparse_operation_none, rocsparse_spmv_alg_coo, "segments",
          exact);
  generic(check, handle, p, matrix, rocsparse_operation_none, rocsparse_spmv_alg_coo_atomic,
          "atomics", exact);
  rocsparse_destroy_spmat_descr(matrix);
}

/// A' is stored, A is meant.
template <class T>
void by_transpose(Check& check, rocsparse_handle handle, const Problem<T>& p, bool exact) {
  const Csr<T> stored = transposed(p.a);
  const DeviceCsr<T> a(stored);
  rocsparse_spmat_descr matrix;
  SPARSE_OK(rocsparse_create_csr_descr(
      &matrix, stored.rows, stored.columns, stored.entries(), a.start, a.column, a.value,
      rocsparse_indextype_i32, rocsparse_indextype_i32, rocsparse_index_base_zero, datatype<T>()));
  generic(check, handle, p, matrix, rocsparse_operation_transpose, rocsparse_spmv_alg_csr_stream,
          "transpose", exact);
  rocsparse_destroy_spmat_descr(matrix);
}

/// ELL: as many columns of entries as the longest row has; -1 where a row has no more.
template <class T>
void by_ell(Check& check, rocsparse_handle handle, const Problem<T>& p, bool exact) {
  int width = 0;
  for (int r = 0; r < p.a.rows; ++r) width = std::max(width, p.a.start[r + 1] - p.a.start[r]);
  std::vector<int> column(static_cast<size_t>(width) * p.a.rows, -1);
  std::vector<T> value(column.size());
  for (int r = 0; r < p.a.rows; ++r) {
    for (int i = p.a.start[r]; i < p.a.start[r + 1]; ++i) {
      const size_t at = static_cast<size_t>(i - p.a.start[r]) * p.a.rows + r;
      column[at] = p.a.column[i];
      value[at] = p.a.value[i];
    }
  }
  const Device<int> columns(column);
  const Device<T> values(value);
  rocsparse_spmat_descr matrix;
  SPARSE_OK(rocsparse_create_ell_descr(&matrix, p.a.rows, p.a.columns, columns, values, width,
                                       rocsparse_indextype_i32, rocsparse_index_base_zero,
                                       datatype<T>()));
  generic(check, handle, p, matrix, rocsparse_operation_none, rocsparse_spmv_alg_ell, "ell", exact);
  rocsparse_destroy_spmat_descr(matrix);
}

template <class T>
void products(Check& check, rocsparse_handle handle, int rows, int columns) {
  Draw draw(static_cast<uint64_t>(rows) * 7 + sizeof(T));
  for (const bool exact : {true, false}) {
    const auto value = [&] { return exact ? draw.small<T>() : draw.real<T>(); };
    std::vector<T> x(static_cast<size_t>(columns)), y(static_cast<size_t>(rows));
    for (T& v : x) v = value();
    for (T& v : y) v = value();
    const Csr<T> a = ragged<T>(rows, columns, draw, value);
    const Problem<T> p(a, x, y, exact ? T{3} : T{0.7F}, exact ? T{-2} : T{0.3F});
    by_rows(check, handle, p, exact);
    by_coordinates(check, handle, p, exact);
    by_transpose(check, handle, p, exact);
    by_ell(check, handle, p, exact);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 500;
  Check check;
  rocsparse_handle handle;
  SPARSE_OK(rocsparse_create_handle(&handle));
  products<float>(check, handle, rows, rows + rows / 3);
  products<double>(check, handle, rows, rows + rows / 3);
  SPARSE_OK(rocsparse_destroy_handle(handle));
  return check.status();
}
