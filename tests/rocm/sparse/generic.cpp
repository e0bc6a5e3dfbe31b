// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// hipSPARSE: the generic interface, which calls rocSPARSE: products with a vector and with a dense
// matrix, a dense product at the places of a sparse matrix, a triangular system, conversion to a
// dense matrix. Whole numbers, compared exactly.
#include <hipsparse/hipsparse.h>

#include "sparse.h"

/// Ends the program with status 3 when a call of hipSPARSE fails.
#define SPARSE_OK(call)                                                                   \
  do {                                                                                    \
    const hipsparseStatus_t result_ = (call);                                             \
    if (result_ != HIPSPARSE_STATUS_SUCCESS) {                                            \
      std::fprintf(stderr, "%s:%d: %s: hipSPARSE status %d\n", __FILE__, __LINE__, #call, \
                   static_cast<int>(result_));                                            \
      std::exit(3);                                                                       \
    }                                                                                     \
  } while (false)

namespace {

constexpr auto kNone = HIPSPARSE_OPERATION_NON_TRANSPOSE;
constexpr double kAlpha = 3, kBeta = -2;

/// A matrix of the device with its description.
struct Matrix {
  explicit Matrix(const Csr<double>& m) : a(m) {
    SPARSE_OK(hipsparseCreateCsr(&descr, m.rows, m.columns, m.entries(), a.start, a.column, a.value,
                                 HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_32I,
                                 HIPSPARSE_INDEX_BASE_ZERO, HIP_R_64F));
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { hipsparseDestroySpMat(descr); }
  DeviceCsr<double> a;
  hipsparseSpMatDescr_t descr;
};

struct Vector {
  explicit Vector(const std::vector<double>& values) : elements(values) {
    SPARSE_OK(
        hipsparseCreateDnVec(&descr, static_cast<int64_t>(values.size()), elements, HIP_R_64F));
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() { hipsparseDestroyDnVec(descr); }
  Device<double> elements;
  hipsparseDnVecDescr_t descr;
};

/// Column by column.
struct Dense {
  Dense(int rows, int columns, const std::vector<double>& values) : elements(values) {
    SPARSE_OK(hipsparseCreateDnMat(&descr, rows, columns, rows, elements, HIP_R_64F,
                                   HIPSPARSE_ORDER_COLUMN));
  }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;
  ~Dense() { hipsparseDestroyDnMat(descr); }
  Device<double> elements;
  hipsparseDnMatDescr_t descr;
};

std::vector<double> drawn(size_t count, Draw& draw) {
  std::vector<double> values(count);
  for (double& v : values) v = draw.small<double>();
  return values;
}

void vector_product(Check& check, hipsparseHandle_t handle, const Csr<double>& m, Draw& draw) {
  const std::vector<double> x = drawn(static_cast<size_t>(m.columns), draw),
                            y = drawn(static_cast<size_t>(m.rows), draw);
  std::vector<double> expected = y;
  for (double& v : expected) v *= kBeta;
  m.for_each([&](int r, int c, double v) {
    expected[static_cast<size_t>(r)] += kAlpha * v * x[static_cast<size_t>(c)];
  });
  const Matrix a(m);
  for (const auto algorithm : {HIPSPARSE_SPMV_CSR_ALG1, HIPSPARSE_SPMV_CSR_ALG2}) {
    const Vector dx(x), dy(y);
    size_t bytes = 0;
    SPARSE_OK(hipsparseSpMV_bufferSize(handle, kNone, &kAlpha, a.descr, dx.descr, &kBeta, dy.descr,
                                       HIP_R_64F, algorithm, &bytes));
    const Device<char> buffer(std::max<size_t>(bytes, 4));
    SPARSE_OK(hipsparseSpMV(handle, kNone, &kAlpha, a.descr, dx.descr, &kBeta, dy.descr, HIP_R_64F,
                            algorithm, buffer));
    HIP_OK(hipDeviceSynchronize());
    equal(check, "vector", dy.elements.host(), expected);
  }
}

void dense_product(Check& check, hipsparseHandle_t handle, const Csr<double>& m, int wide,
                   Draw& draw) {
  const auto rows = static_cast<size_t>(m.rows), columns = static_cast<size_t>(m.columns);
  const std::vector<double> b = drawn(columns * wide, draw), c = drawn(rows * wide, draw);
  std::vector<double> expected = c;
  for (double& v : expected) v *= kBeta;
  m.for_each([&](int r, int k, double v) {
    for (size_t j = 0; j < static_cast<size_t>(wide); ++j)
      expected[j * rows + r] += kAlpha * v * b[j * columns + k];
  });
  const Matrix a(m);
  const Dense db(m.columns, wide, b), dc(m.rows, wide, c);
  size_t bytes = 0;
  SPARSE_OK(hipsparseSpMM_bufferSize(handle, kNone, kNone, &kAlpha, a.descr, db.descr, &kBeta,
                                     dc.descr, HIP_R_64F, HIPSPARSE_SPMM_CSR_ALG1, &bytes));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(hipsparseSpMM_preprocess(handle, kNone, kNone, &kAlpha, a.descr, db.descr, &kBeta,
                                     dc.descr, HIP_R_64F, HIPSPARSE_SPMM_CSR_ALG1, buffer));
  SPARSE_OK(hipsparseSpMM(handle, kNone, kNone, &kAlpha, a.descr, db.descr, &kBeta, dc.descr,
                          HIP_R_64F, HIPSPARSE_SPMM_CSR_ALG1, buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "dense", dc.elements.host(), expected);
}

/// C = 3 A B - 2 C, at the places where C has entries.
void sampled_product(Check& check, hipsparseHandle_t handle, const Csr<double>& m, int inner,
                     Draw& draw) {
  const auto rows = static_cast<size_t>(m.rows), columns = static_cast<size_t>(m.columns),
             k = static_cast<size_t>(inner);
  const std::vector<double> a = drawn(rows * k, draw), b = drawn(k * columns, draw);
  std::vector<double> expected;
  m.for_each([&](int r, int c, double v) {
    double sum = 0;
    for (size_t i = 0; i < k; ++i) sum += a[i * rows + r] * b[c * k + i];
    expected.push_back(kAlpha * sum + kBeta * v);
  });
  const Matrix c(m);
  const Dense da(m.rows, inner, a), db(inner, m.columns, b);
  size_t bytes = 0;
  SPARSE_OK(hipsparseSDDMM_bufferSize(handle, kNone, kNone, &kAlpha, da.descr, db.descr, &kBeta,
                                      c.descr, HIP_R_64F, HIPSPARSE_SDDMM_ALG_DEFAULT, &bytes));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(hipsparseSDDMM_preprocess(handle, kNone, kNone, &kAlpha, da.descr, db.descr, &kBeta,
                                      c.descr, HIP_R_64F, HIPSPARSE_SDDMM_ALG_DEFAULT, buffer));
  SPARSE_OK(hipsparseSDDMM(handle, kNone, kNone, &kAlpha, da.descr, db.descr, &kBeta, c.descr,
                           HIP_R_64F, HIPSPARSE_SDDMM_ALG_DEFAULT, buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "sampled", c.a.value.host(), expected);
}

/// The lower triangle of a band, with powers of two on the diagonal.
void triangular(Check& check, hipsparseHandle_t handle, int n, Draw& draw) {
  Csr<double> m;
  m.columns = n;
  const std::vector<double> x = drawn(static_cast<size_t>(n), draw);
  std::vector<double> right(x.size());
  for (int r = 0; r < n; ++r) {
    std::vector<std::pair<int, double>> row;
    for (int c = std::max(0, r - 3); c < r; ++c) row.emplace_back(c, draw.small<double>());
    row.emplace_back(r, static_cast<double>(1 << draw.below(3)));
    for (const auto& [c, v] : row) right[static_cast<size_t>(r)] += v * x[static_cast<size_t>(c)];
    m.add(row);
  }
  const Matrix a(m);
  const Vector f(right), y(std::vector<double>(x.size()));
  hipsparseFillMode_t lower = HIPSPARSE_FILL_MODE_LOWER;
  SPARSE_OK(hipsparseSpMatSetAttribute(a.descr, HIPSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
  hipsparseSpSVDescr_t solution;
  SPARSE_OK(hipsparseSpSV_createDescr(&solution));
  const double one = 1;
  size_t bytes = 0;
  SPARSE_OK(hipsparseSpSV_bufferSize(handle, kNone, &one, a.descr, f.descr, y.descr, HIP_R_64F,
                                     HIPSPARSE_SPSV_ALG_DEFAULT, solution, &bytes));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(hipsparseSpSV_analysis(handle, kNone, &one, a.descr, f.descr, y.descr, HIP_R_64F,
                                   HIPSPARSE_SPSV_ALG_DEFAULT, solution, buffer));
  SPARSE_OK(hipsparseSpSV_solve(handle, kNone, &one, a.descr, f.descr, y.descr, HIP_R_64F,
                                HIPSPARSE_SPSV_ALG_DEFAULT, solution, buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "triangular", y.elements.host(), x);
  hipsparseSpSV_destroyDescr(solution);
}

void to_dense(Check& check, hipsparseHandle_t handle, const Csr<double>& m) {
  const Matrix a(m);
  const Dense d(m.rows, m.columns,
                std::vector<double>(static_cast<size_t>(m.rows) * m.columns, -1));
  size_t bytes = 0;
  SPARSE_OK(hipsparseSparseToDense_bufferSize(handle, a.descr, d.descr,
                                              HIPSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
  const Device<char> buffer(std::max<size_t>(bytes, 4));
  SPARSE_OK(hipsparseSparseToDense(handle, a.descr, d.descr, HIPSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                   buffer));
  HIP_OK(hipDeviceSynchronize());
  equal(check, "to dense", d.elements.host(), m.dense());
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 150;
  Draw draw(static_cast<uint64_t>(rows));
  const Csr<double> m = whole_numbers<double>(rows, rows + 25, draw);
  Check check;
  hipsparseHandle_t handle;
  SPARSE_OK(hipsparseCreate(&handle));
  vector_product(check, handle, m, draw);
  dense_product(check, handle, m, 7, draw);
  sampled_product(check, handle, m, 40, draw);
  triangular(check, handle, rows, draw);
  to_dense(check, handle, m);
  SPARSE_OK(hipsparseDestroy(handle));
  return check.status();
}
