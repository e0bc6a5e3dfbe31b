// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "case.h"

namespace {

using suite::Case;
using suite::Random;
using Vector = std::array<double, 3>;

std::vector<float> as_floats(const std::vector<double>& x) {
  std::vector<float> out(x.size());
  std::transform(x.begin(), x.end(), out.begin(), [](double v) { return static_cast<float>(v); });
  return out;
}

/// Whole numbers below 64.
std::vector<float> heights(Random& random, size_t n) {
  return random.many<float>(n, [](Random& r) { return r.below(64); });
}

}  // namespace

SUITE_REFERENCE(nbody) {
  const size_t n = c["tiles"] * 256;
  Random random(61);
  std::vector<float> bodies;
  for (size_t i = 0; i < n; ++i) {
    for (int axis = 0; axis < 3; ++axis) bodies.push_back(static_cast<float>(random.real(-1, 1)));
    bodies.push_back(static_cast<float>(random.real(0.5, 1.5)));
  }
  // Each pair once: action and reaction.
  std::vector<double> sum(4 * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      Vector way;
      double squared = double{0.01f};
      for (size_t axis = 0; axis < 3; ++axis) {
        way[axis] = double{bodies[4 * j + axis]} - double{bodies[4 * i + axis]};
        squared += way[axis] * way[axis];
      }
      const double pull = 1 / (squared * std::sqrt(squared));
      for (size_t axis = 0; axis < 3; ++axis) {
        sum[4 * i + axis] += double{bodies[4 * j + 3]} * pull * way[axis];
        sum[4 * j + axis] -= double{bodies[4 * i + 3]} * pull * way[axis];
      }
    }
  }
  c.write("bodies.bin", bodies);
  c.write("accelerations.bin", as_floats(sum));
}

SUITE_REFERENCE(lennard_jones) {
  // A crystal with atoms out of place by whole 64ths: distances, and what is inside of the cut-off,
  // are exact.
  constexpr double kSpacing = 1.125;
  constexpr double kCutoff = 2.5;
  constexpr double kListed = 2.8;
  constexpr size_t kLongest = 100;
  const auto side = static_cast<int>(c["side"]);
  const double box = side * kSpacing;
  Random random(62);
  const size_t atoms = c["side"] * c["side"] * c["side"];
  std::vector<Vector> places;
  for (size_t i = 0; i < atoms; ++i) {
    const std::array<size_t, 3> cell{i % c["side"], i / c["side"] % c["side"],
                                     i / c["side"] / c["side"]};
    Vector place;
    for (size_t axis = 0; axis < 3; ++axis) {
      place[axis] = static_cast<double>(cell[axis]) * kSpacing + (random.below(13) - 6.0) / 64;
    }
    places.push_back(place);
  }
  std::vector<float> positions;
  std::vector<uint32_t> neighbours(atoms * kLongest), counts(atoms);
  std::vector<double> forces;
  for (size_t i = 0; i < atoms; ++i) {
    for (const double x : places[i]) positions.push_back(static_cast<float>(x));
    positions.push_back(0);
    Vector force{};
    double energy = 0;
    for (int step = 0; step < 7 * 7 * 7; ++step) {
      const std::array<int, 3> offset{step % 7 - 3, step / 7 % 7 - 3, step / 49 - 3};
      size_t other = 0;
      for (int axis = 2; axis >= 0; --axis) {
        const auto edge = static_cast<int>(axis == 2   ? i / c["side"] / c["side"]
                                           : axis == 1 ? i / c["side"] % c["side"]
                                                       : i % c["side"]);
        const int at = (edge + offset[static_cast<size_t>(axis)] + side) % side;
        other = other * c["side"] + static_cast<size_t>(at);
      }
      if (other == i) continue;
      Vector way;
      double squared = 0;
      for (size_t axis = 0; axis < 3; ++axis) {
        way[axis] = std::remainder(places[i][axis] - places[other][axis], box);
        squared += way[axis] * way[axis];
      }
      if (squared < kListed * kListed) {
        neighbours[counts[i]++ * atoms + i] = static_cast<uint32_t>(other);
      }
      if (squared >= kCutoff * kCutoff) continue;
      const double distance = std::sqrt(squared);
      const double slope = 48 * std::pow(distance, -13) - 24 * std::pow(distance, -7);
      for (size_t axis = 0; axis < 3; ++axis) force[axis] += slope * way[axis] / distance;
      energy += 2 * (std::pow(distance, -12) - std::pow(distance, -6));
    }
    forces.insert(forces.end(), force.begin(), force.end());
    forces.push_back(energy);
  }
  c.write("positions.bin", positions);
  c.write("neighbours.bin", neighbours);
  c.write("counts.bin", counts);
  c.write("forces.bin", as_floats(forces));
}

SUITE_REFERENCE(stencil2d) {
  // Whole numbers below 64 divided by four a few times: exact, in units of 4^-steps.
  const size_t width = c["width"];
  const size_t height = c["height"];
  const size_t steps = 2 * c["steps"];
  Random random(63);
  const auto in = heights(random, width * height);
  std::vector<int64_t> grid(in.size());
  for (size_t i = 0; i < in.size(); ++i) grid[i] = std::lround(in[i]) << 2 * steps;
  for (size_t step = 0; step < steps; ++step) {
    const auto before = grid;
    for (size_t y = 1; y + 1 < height; ++y) {
      for (size_t x = 1; x + 1 < width; ++x) {
        const size_t at = y * width + x;
        grid[at] = (before[at - 1] + before[at + 1] + before[at - width] + before[at + width]) / 4;
      }
    }
  }
  std::vector<float> out(grid.size());
  const double unit = std::ldexp(1.0, -2 * static_cast<int>(steps));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(static_cast<double>(grid[i]) * unit);
  c.write("in.bin", in);
  c.write("out.bin", out);
}

SUITE_REFERENCE(stencil3d) {
  const size_t nx = c["nx"];
  const size_t ny = c["ny"];
  const size_t nz = c["nz"];
  const size_t steps = 2 * c["steps"];
  Random random(64);
  const auto in = heights(random, nx * ny * nz);
  std::vector<int64_t> grid(in.size());
  for (size_t i = 0; i < in.size(); ++i) grid[i] = std::lround(in[i]) << 3 * steps;
  // Heat that flows through each face between two points; points of the outermost layer take and
  // give none.
  const std::array<size_t, 3> stride{1, nx, nx * ny};
  for (size_t step = 0; step < steps; ++step) {
    const auto before = grid;
    const auto inner = [&](size_t at) {
      const size_t x = at % nx, y = at / nx % ny, z = at / nx / ny;
      return x > 0 && y > 0 && z > 0 && x + 1 < nx && y + 1 < ny && z + 1 < nz;
    };
    for (const size_t to : stride) {
      for (size_t at = 0; at + to < grid.size(); ++at) {
        const int64_t flow = (before[at + to] - before[at]) / 8;
        if (inner(at)) grid[at] += flow;
        if (inner(at + to)) grid[at + to] -= flow;
      }
    }
  }
  std::vector<float> out(grid.size());
  const double unit = std::ldexp(1.0, -3 * static_cast<int>(steps));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(static_cast<double>(grid[i]) * unit);
  c.write("in.bin", in);
  c.write("out.bin", out);
}

SUITE_REFERENCE(lattice_boltzmann) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  const size_t cells = width * height;
  // Directions as steps in x and y of -1, 0, 1.
  constexpr std::array<std::array<int, 2>, 9> kStep{
      {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  Random random(65);
  std::vector<uint8_t> wall(cells);
  for (size_t i = 0; i < cells; ++i) {
    const double x = static_cast<double>(i % width) - static_cast<double>(width) / 4;
    const double y = static_cast<double>(i / width) - static_cast<double>(height) / 2;
    wall[i] = i / width == 0 || x * x + y * y < static_cast<double>(height * height) / 36 ? 1 : 0;
  }
  const auto weight = [&](size_t i) {
    const int squared = kStep[i][0] * kStep[i][0] + kStep[i][1] * kStep[i][1];
    return squared == 0 ? 4.0 / 9 : squared == 1 ? 1.0 / 9 : 1.0 / 36;
  };
  std::vector<float> in(9 * cells);
  for (size_t i = 0; i < in.size(); ++i) {
    const double drift = 1 + 0.15 * kStep[i / cells][0];
    in[i] = static_cast<float>(weight(i / cells) * drift * random.real(0.98, 1.02));
  }
  std::vector<double> fluid(in.begin(), in.end());
  for (size_t step = 0; step < 2 * c["steps"]; ++step) {
    // Every population moves on, then each cell collides.
    std::vector<double> moved(fluid.size());
    for (size_t i = 0; i < 9; ++i) {
      for (size_t at = 0; at < cells; ++at) {
        const size_t x = (at % width + width + static_cast<size_t>(kStep[i][0])) % width;
        const size_t y = (at / width + height + static_cast<size_t>(kStep[i][1])) % height;
        moved[i * cells + y * width + x] = fluid[i * cells + at];
      }
    }
    for (size_t at = 0; at < cells; ++at) {
      double density = 0, flow_x = 0, flow_y = 0;
      for (size_t i = 0; i < 9; ++i) {
        density += moved[i * cells + at];
        flow_x += kStep[i][0] * moved[i * cells + at];
        flow_y += kStep[i][1] * moved[i * cells + at];
      }
      const double ux = flow_x / density;
      const double uy = flow_y / density;
      for (size_t i = 0; i < 9; ++i) {
        const double along = kStep[i][0] * ux + kStep[i][1] * uy;
        const double balance =
            weight(i) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
        const double old = moved[i * cells + at];
        size_t back = 0;
        while (kStep[back][0] != -kStep[i][0] || kStep[back][1] != -kStep[i][1]) ++back;
        fluid[i * cells + at] =
            wall[at] != 0 ? moved[back * cells + at] : old + 1.25 * (balance - old);
      }
    }
  }
  c.write("wall.bin", wall);
  c.write("in.bin", in);
  c.write("out.bin", as_floats(fluid));
}
