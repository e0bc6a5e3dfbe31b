// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocSPARSE: products of a sparse matrix with a dense one, in both orders of the dense one's
// elements and transposed, and with a sparse one. Whole numbers, compared exactly.
#include "rocsparse_check.h"

namespace {

template <class T>
rocsparse_datatype datatype() {
  return sizeof(T) == 4 ? rocsparse_datatype_f32_r : rocsparse_datatype_f64_r;
}

template <class T>
rocsparse_spmat_descr described(const Csr<T>& m, const DeviceCsr<T>& on_device) {
  rocsparse_spmat_descr descr;
  SPARSE_OK(rocsparse_create_csr_descr(
      &descr, m.rows, m.columns, m.entries(), on_device.start, on_device.column, on_device.value,
      rocsparse_indextype_i32, rocsparse_indextype_i32, rocsparse_index_base_zero, datatype<T>()));
  return descr;
}

/// C = 3 A op(B) - 2 C with `wide` columns of C.
template <class T>
void with_dense(Check& check, rocsparse_handle handle, const Csr<T>& a, int wide,
                rocsparse_order order, bool transpose, Draw& draw) {
  const auto place = [&](int r, int c, int rows, int columns) {
    return order == rocsparse_order_column ? static_cast<size_t>(c) * rows + r
                                           : static_cast<size_t>(r) * columns + c;
  };
  const int b_rows = transpose ? wide : a.columns, b_columns = transpose ? a.columns : wide;
  std::vector<T> b(static_cast<size_t>(b_rows) * b_columns), c(static_cast<size_t>(a.rows) * wide);
  for (T& v : b) v = draw.small<T>();
  for (T& v : c) v = draw.small<T>();
  std::vector<T> expected = c;
  for (T& v : expected) v *= T{-2};
  a.for_each([&](int r, int k, T v) {
    for (int j = 0; j < wide; ++j) {
      expected[place(r, j, a.rows, wide)] +=
          T{3} * v * b[transpose ? place(j, k, b_rows, b_columns) : place(k, j, b_rows, b_columns)];
    }
  });

  const DeviceCsr<T> da(a);
  const Device<T> db(b), dc(c);
  const rocsparse_spmat_descr ma = described(a, da);
  rocsparse_dnmat_descr mb, mc;
  const bool by_columns = order == rocsparse_order_column;
  SPARSE_OK(rocsparse_create_dnmat_descr(&mb, b_rows, b_columns, by_columns ? b_rows : b_columns,
                                         db, datatype<T>(), order));
  SPARSE_OK(rocsparse_create_dnmat_descr(&mc, a.rows, wide, by_columns ? a.rows : wide, dc,
                                         datatype<T>(), order));
  const T alpha = 3, beta = -2;
  const auto stage = [&](rocsparse_spmm_stage which, size_t* bytes, void* buffer) {
    SPARSE_OK(rocsparse_spmm(handle, rocsparse_operation_none,
                             transpose ? rocsparse_operation_transpose : rocsparse_operation_none,
                             &alpha, ma, mb, &beta, mc, datatype<T>(), rocsparse_spmm_alg_csr,
                             which, bytes, buffer));
  };
  size_t bytes = 0;
  stage(rocsparse_spmm_stage_buffer_size, &bytes, nullptr);
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  stage(rocsparse_spmm_stage_preprocess, &bytes, buffer);
  stage(rocsparse_spmm_stage_compute, &bytes, buffer);
  HIP_OK(hipDeviceSynchronize());
  equal(check, by_columns ? "dense, by columns" : "dense, by rows", dc.host(), expected);
  rocsparse_destroy_dnmat_descr(mb);
  rocsparse_destroy_dnmat_descr(mc);
  rocsparse_destroy_spmat_descr(ma);
}

/// C = 3 A B: how many entries each row has, then the entries, sums that cancel included.
template <class T>
void with_sparse(Check& check, rocsparse_handle handle, const Csr<T>& a, const Csr<T>& b) {
  Csr<T> expected;
  expected.columns = b.columns;
  std::vector<T> sum(static_cast<size_t>(b.columns));
  std::vector<char> used(sum.size());
  for (int r = 0; r < a.rows; ++r) {
    std::fill(sum.begin(), sum.end(), T{0});
    std::fill(used.begin(), used.end(), 0);
    for (int i = a.start[r]; i < a.start[r + 1]; ++i) {
      for (int j = b.start[a.column[i]]; j < b.start[a.column[i] + 1]; ++j) {
        sum[static_cast<size_t>(b.column[j])] += T{3} * a.value[i] * b.value[j];
        used[static_cast<size_t>(b.column[j])] = 1;
      }
    }
    std::vector<std::pair<int, T>> row;
    for (int c = 0; c < b.columns; ++c) {
      if (used[static_cast<size_t>(c)] != 0) row.emplace_back(c, sum[static_cast<size_t>(c)]);
    }
    expected.add(row);
  }

  const DeviceCsr<T> da(a), db(b);
  const Device<int> start(expected.start.size());
  const rocsparse_spmat_descr ma = described(a, da), mb = described(b, db);
  rocsparse_spmat_descr mc, none;
  SPARSE_OK(rocsparse_create_csr_descr(&mc, a.rows, b.columns, 0, start, nullptr, nullptr,
                                       rocsparse_indextype_i32, rocsparse_indextype_i32,
                                       rocsparse_index_base_zero, datatype<T>()));
  SPARSE_OK(rocsparse_create_csr_descr(&none, 0, 0, 0, nullptr, nullptr, nullptr,
                                       rocsparse_indextype_i32, rocsparse_indextype_i32,
                                       rocsparse_index_base_zero, datatype<T>()));
  const T alpha = 3, beta = 0;
  const auto stage = [&](rocsparse_spgemm_stage which, size_t* bytes, void* buffer) {
    SPARSE_OK(rocsparse_spgemm(handle, rocsparse_operation_none, rocsparse_operation_none, &alpha,
                               ma, mb, &beta, none, mc, datatype<T>(), rocsparse_spgemm_alg_default,
                               which, bytes, buffer));
  };
  size_t bytes = 0;
  stage(rocsparse_spgemm_stage_buffer_size, &bytes, nullptr);
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  stage(rocsparse_spgemm_stage_nnz, &bytes, buffer);
  int64_t rows = 0, columns = 0, entries = 0;
  SPARSE_OK(rocsparse_spmat_get_size(mc, &rows, &columns, &entries));
  check.equal("entries of a product", 0, entries, static_cast<int64_t>(expected.entries()));
  const Device<int> column(static_cast<size_t>(entries));
  const Device<T> value(static_cast<size_t>(entries));
  SPARSE_OK(rocsparse_csr_set_pointers(mc, start, column, value));
  stage(rocsparse_spgemm_stage_compute, &bytes, buffer);
  HIP_OK(hipDeviceSynchronize());
  equal(check, "starts of a product", start.host(), expected.start);
  equal(check, "columns of a product", column.host(), expected.column);
  equal(check, "values of a product", value.host(), expected.value);
  for (const auto descr : {ma, mb, mc, none}) rocsparse_destroy_spmat_descr(descr);
}

template <class T>
void products(Check& check, rocsparse_handle handle, int rows) {
  Draw draw(static_cast<uint64_t>(rows) + sizeof(T));
  const Csr<T> a = whole_numbers<T>(rows, rows + 30, draw),
               b = whole_numbers<T>(rows + 30, rows - 20, draw);
  for (const int wide : {5, 32}) {
    for (const rocsparse_order order : {rocsparse_order_column, rocsparse_order_row}) {
      for (const bool transpose : {false, true})
        with_dense(check, handle, a, wide, order, transpose, draw);
    }
  }
  with_sparse(check, handle, a, b);
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 200;
  Check check;
  rocsparse_handle handle;
  SPARSE_OK(rocsparse_create_handle(&handle));
  products<float>(check, handle, rows);
  products<double>(check, handle, rows);
  SPARSE_OK(rocsparse_destroy_handle(handle));
  return check.status();
}
