// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// In the host's long double.
#include <cmath>
#include <numbers>

#include "case.h"

using suite::Random;

SUITE_REFERENCE(black_scholes) {
  const size_t n = c["n"];
  Random random(91);
  const auto draw = [&](double low, double high) {
    return random.many<double>(n, [=](Random& r) { return r.real(low, high); });
  };
  const auto spot = draw(20, 120);
  const auto strike = draw(20, 120);
  const auto years = draw(0.1, 4);
  std::vector<double> call, put;
  for (size_t i = 0; i < n; ++i) {
    const long double rate = 0.03, volatility = 0.25, t = years[i];
    const long double forward = spot[i] * std::exp(rate * t);
    const long double spread = volatility * std::sqrt(t);
    const long double d = std::log(forward / strike[i]) / spread + spread / 2;
    const auto normal = [](long double x) { return (1 + std::erf(x / std::sqrt(2.0L))) / 2; };
    const long double value =
        std::exp(-rate * t) * (forward * normal(d) - strike[i] * normal(d - spread));
    call.push_back(static_cast<double>(value));
    // Put-call parity.
    put.push_back(static_cast<double>(value + std::exp(-rate * t) * strike[i] - spot[i]));
  }
  c.write("spot.bin", spot);
  c.write("strike.bin", strike);
  c.write("years.bin", years);
  c.write("call.bin", call);
  c.write("put.bin", put);
}

SUITE_REFERENCE(kepler) {
  Random random(92);
  std::vector<double> eccentricity, mean, eccentric;
  for (size_t i = 0; i < c["n"]; ++i) {
    const double e = random.real(0, 0.95);
    const double m = random.real(0.05, 3.1);
    // Bisection: the left side grows with the angle.
    long double low = 0, high = std::numbers::pi_v<long double>;
    for (unsigned step = 0; step < 64; ++step) {
      const long double middle = (low + high) / 2;
      (middle - e * std::sin(middle) < m ? low : high) = middle;
    }
    eccentricity.push_back(e);
    mean.push_back(m);
    eccentric.push_back(static_cast<double>(low));
  }
  c.write("eccentricity.bin", eccentricity);
  c.write("mean.bin", mean);
  c.write("eccentric.bin", eccentric);
}
