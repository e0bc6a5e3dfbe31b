// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocSPARSE: a matrix from compressed rows to compressed columns, coordinates, a dense matrix, ELL,
// blocks and back, and the sorting of shuffled entries, all compared entry by entry with what the
// host makes.
#include <numeric>

#include "rocsparse_check.h"

namespace {

struct Described {
  Described() { SPARSE_OK(rocsparse_create_mat_descr(&descr)); }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  ~Described() { rocsparse_destroy_mat_descr(descr); }
  operator rocsparse_mat_descr() const { return descr; }
  rocsparse_mat_descr descr;
};

std::vector<int> rows_of(const Csr<double>& m) {
  std::vector<int> row;
  m.for_each([&](int r, int, double) { row.push_back(r); });
  return row;
}

void equal(Check& check, const char* what, const DeviceCsr<double>& found,
           const Csr<double>& expected) {
  equal(check, what, found.start.host(), expected.start);
  equal(check, what, found.column.host(), expected.column);
  equal(check, what, found.value.host(), expected.value);
}

/// As much memory of the device as another matrix takes.
DeviceCsr<double> like(const Csr<double>& m) {
  Csr<double> blank = m;
  std::fill(blank.start.begin(), blank.start.end(), -1);
  std::fill(blank.column.begin(), blank.column.end(), -1);
  std::fill(blank.value.begin(), blank.value.end(), -1);
  return DeviceCsr<double>(blank);
}

void to_columns(Check& check, rocsparse_handle handle, const Csr<double>& m,
                const DeviceCsr<double>& a) {
  const Csr<double> expected = transposed(m);
  const DeviceCsr<double> found = like(expected);
  size_t bytes = 0;
  SPARSE_OK(rocsparse_csr2csc_buffer_size(handle, m.rows, m.columns, m.entries(), a.start, a.column,
                                          rocsparse_action_numeric, &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_dcsr2csc(handle, m.rows, m.columns, m.entries(), a.value, a.start, a.column,
                               found.value, found.column, found.start, rocsparse_action_numeric,
                               rocsparse_index_base_zero, buffer));
  equal(check, "columns", found, expected);
}

void to_coordinates(Check& check, rocsparse_handle handle, const Csr<double>& m,
                    const DeviceCsr<double>& a) {
  const std::vector<int> expected = rows_of(m);
  const Device<int> row(expected.size());
  SPARSE_OK(
      rocsparse_csr2coo(handle, a.start, m.entries(), m.rows, row, rocsparse_index_base_zero));
  equal(check, "rows of coordinates", row.host(), expected);
  const Device<int> start(m.start.size());
  SPARSE_OK(rocsparse_coo2csr(handle, row, m.entries(), m.rows, start, rocsparse_index_base_zero));
  equal(check, "starts from coordinates", start.host(), m.start);
}

void to_dense(Check& check, rocsparse_handle handle, const Csr<double>& m,
              const DeviceCsr<double>& a) {
  const Described descr;
  const Device<double> dense(static_cast<size_t>(m.rows) * m.columns);
  SPARSE_OK(rocsparse_dcsr2dense(handle, m.rows, m.columns, descr, a.value, a.start, a.column,
                                 dense, m.rows));
  equal(check, "dense", dense.host(), m.dense());
  const Device<int> per_row(static_cast<size_t>(m.rows));
  int entries = 0;
  SPARSE_OK(rocsparse_dnnz(handle, rocsparse_direction_row, m.rows, m.columns, descr, dense, m.rows,
                           per_row, &entries));
  HIP_OK(hipDeviceSynchronize());
  check.equal("entries", 0, entries, m.entries());
  const DeviceCsr<double> found = like(m);
  SPARSE_OK(rocsparse_ddense2csr(handle, m.rows, m.columns, descr, dense, m.rows, per_row,
                                 found.value, found.start, found.column));
  equal(check, "from dense", found, m);
}

void to_ell(Check& check, rocsparse_handle handle, const Csr<double>& m,
            const DeviceCsr<double>& a) {
  const Described rows, ell;
  int width = 0, longest = 0;
  for (int r = 0; r < m.rows; ++r) longest = std::max(longest, m.start[r + 1] - m.start[r]);
  SPARSE_OK(rocsparse_csr2ell_width(handle, m.rows, rows, a.start, ell, &width));
  HIP_OK(hipDeviceSynchronize());
  check.equal("width", 0, width, longest);
  const Device<double> value(static_cast<size_t>(width) * m.rows);
  const Device<int> column(static_cast<size_t>(width) * m.rows);
  SPARSE_OK(rocsparse_dcsr2ell(handle, m.rows, rows, a.value, a.start, a.column, ell, width, value,
                               column));
  const auto values = value.host();
  const auto columns = column.host();
  for (int r = 0; r < m.rows; ++r) {
    const int length = m.start[r + 1] - m.start[r];
    for (int i = 0; i < width; ++i) {
      const size_t at = static_cast<size_t>(i) * m.rows + r;
      check.equal("column of ell", at, columns[at], i < length ? m.column[m.start[r] + i] : -1);
      if (i < length) check.equal("value of ell", at, values[at], m.value[m.start[r] + i]);
    }
  }
}

/// Blocks of 4 rows and columns, each stored row by row; both counts are multiples of 4.
void to_blocks(Check& check, rocsparse_handle handle, const Csr<double>& m,
               const DeviceCsr<double>& a) {
  constexpr int kBlock = 4;
  const Described rows, blocks;
  std::vector<int> start{0}, column;
  std::vector<double> value;
  for (int b = 0; b < m.rows; b += kBlock) {
    std::vector<double> strip(static_cast<size_t>(kBlock) * m.columns);
    std::vector<char> used(static_cast<size_t>(m.columns / kBlock));
    for (int r = b; r < b + kBlock; ++r) {
      for (int i = m.start[r]; i < m.start[r + 1]; ++i) {
        strip[static_cast<size_t>(r - b) * m.columns + m.column[i]] = m.value[i];
        used[static_cast<size_t>(m.column[i] / kBlock)] = 1;
      }
    }
    for (int c = 0; c < m.columns / kBlock; ++c) {
      if (used[static_cast<size_t>(c)] == 0) continue;
      column.push_back(c);
      for (int r = 0; r < kBlock; ++r) {
        for (int i = 0; i < kBlock; ++i) {
          value.push_back(strip[static_cast<size_t>(r) * m.columns + c * kBlock + i]);
        }
      }
    }
    start.push_back(static_cast<int>(column.size()));
  }
  const Device<int> found_start(start.size()), found_column(column.size());
  const Device<double> found_value(value.size());
  int count = 0;
  SPARSE_OK(rocsparse_csr2bsr_nnz(handle, rocsparse_direction_row, m.rows, m.columns, rows, a.start,
                                  a.column, kBlock, blocks, found_start, &count));
  HIP_OK(hipDeviceSynchronize());
  check.equal("blocks", 0, static_cast<size_t>(count), column.size());
  if (static_cast<size_t>(count) != column.size()) return;
  SPARSE_OK(rocsparse_dcsr2bsr(handle, rocsparse_direction_row, m.rows, m.columns, rows, a.value,
                               a.start, a.column, kBlock, blocks, found_value, found_start,
                               found_column));
  equal(check, "starts of blocks", found_start.host(), start);
  equal(check, "columns of blocks", found_column.host(), column);
  equal(check, "values of blocks", found_value.host(), value);
}

/// Entries in any order, sorted by row and column; the permutation leads to the values.
void sorted(Check& check, rocsparse_handle handle, const Csr<double>& m, Draw& draw) {
  std::vector<int> order(static_cast<size_t>(m.entries()));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(draw.below(static_cast<int>(i)))]);
  const std::vector<int> row = rows_of(m);
  std::vector<int> shuffled_row, shuffled_column, place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    shuffled_row.push_back(row[static_cast<size_t>(order[i])]);
    shuffled_column.push_back(m.column[static_cast<size_t>(order[i])]);
    place[static_cast<size_t>(order[i])] = static_cast<int>(i);
  }
  const Device<int> rows(shuffled_row), columns(shuffled_column), permutation(order.size());
  size_t bytes = 0;
  SPARSE_OK(rocsparse_create_identity_permutation(handle, m.entries(), permutation));
  SPARSE_OK(
      rocsparse_coosort_buffer_size(handle, m.rows, m.columns, m.entries(), rows, columns, &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_coosort_by_row(handle, m.rows, m.columns, m.entries(), rows, columns,
                                     permutation, buffer));
  equal(check, "sorted rows", rows.host(), row);
  equal(check, "sorted columns", columns.host(), m.column);
  equal(check, "permutation", permutation.host(), place);
}

/// Columns in descending order in every row, sorted within the rows.
void sorted_in_rows(Check& check, rocsparse_handle handle, const Csr<double>& m,
                    const DeviceCsr<double>& a) {
  std::vector<int> descending = m.column, place(descending.size());
  for (int r = 0; r < m.rows; ++r) {
    std::reverse(descending.begin() + m.start[r], descending.begin() + m.start[r + 1]);
    for (int i = m.start[r]; i < m.start[r + 1]; ++i)
      place[static_cast<size_t>(i)] = m.start[r] + m.start[r + 1] - 1 - i;
  }
  const Described descr;
  const Device<int> columns(descending), permutation(descending.size());
  size_t bytes = 0;
  SPARSE_OK(rocsparse_create_identity_permutation(handle, m.entries(), permutation));
  SPARSE_OK(rocsparse_csrsort_buffer_size(handle, m.rows, m.columns, m.entries(), a.start, columns,
                                          &bytes));
  const Device<char> buffer(bytes);
  SPARSE_OK(rocsparse_csrsort(handle, m.rows, m.columns, m.entries(), descr, a.start, columns,
                              permutation, buffer));
  equal(check, "sorted in rows", columns.host(), m.column);
  equal(check, "permutation in rows", permutation.host(), place);
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) / 4 * 4 : 300;
  Draw draw(static_cast<uint64_t>(rows));
  const Csr<double> m = whole_numbers<double>(rows, rows + 40, draw);
  const DeviceCsr<double> a(m);
  Check check;
  rocsparse_handle handle;
  SPARSE_OK(rocsparse_create_handle(&handle));
  to_columns(check, handle, m, a);
  to_coordinates(check, handle, m, a);
  to_dense(check, handle, m, a);
  to_ell(check, handle, m, a);
  to_blocks(check, handle, m, a);
  sorted(check, handle, m, draw);
  sorted_in_rows(check, handle, m, a);
  SPARSE_OK(rocsparse_destroy_handle(handle));
  return check.status();
}
