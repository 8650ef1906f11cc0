#!/usr/bin/env python3
"""Fits the minimax polynomials of physics/math/trigonometry.cpp and prints their constants (needs mpmath).

Not part of the build: the constants are committed, and tests/property/numbers proves them against long double. Run it to see where a number
came from or to try another degree. The exchange algorithm is Remez's (1934) on [0, 1], absolute error.
"""
import mpmath as mp

mp.mp.prec = 400


def remez(f, degree, rounds=12):
    """Coefficients (low to high) of the degree-n minimax polynomial of f on [0, 1], and its largest error."""
    n = degree + 2
    nodes = [(1 - mp.cos(mp.pi * i / (n - 1))) / 2 for i in range(n)]
    for _ in range(rounds):
        a = mp.matrix(n, n)
        b = mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, degree + 1] = (-1) ** i
            b[i] = f(x)
        c = mp.lu_solve(a, b)
        poly = [c[j] for j in range(degree + 1)]
        error = lambda x: mp.polyval(poly[::-1], x) - f(x)
        # new nodes: the extremum of the error between its roots
        grid = [mp.mpf(i) / 2000 for i in range(2001)]
        e = [error(x) for x in grid]
        peaks = []
        start = 0
        for i in range(1, 2002):
            if i == 2001 or e[i] * e[start] < 0:
                k = max(range(start, min(i, 2001)), key=lambda m: abs(e[m]))
                peaks.append(grid[k])
                start = i
        if len(peaks) != n:
            break
        nodes = peaks
    return poly, max(abs(v) for v in e)


def show(name, poly, error, bits):
    print(f"// {name}: largest error {mp.nstr(error, 3)}")
    print("{" + ", ".join(f"{int(mp.nint(c * 2**bits))}" for c in poly) + "}")


quarter = mp.pi / 4
# sin(pi/4 t) = t P(t^2), cos(pi/4 t) = Q(t^2), |t| <= 1
root = lambda z: mp.sqrt(z)
show("sin, P in Q62", *remez(lambda z: mp.sin(quarter * root(z)) / root(z) if z else quarter, 5), 62)
show("cos, Q in Q62", *remez(lambda z: mp.cos(quarter * root(z)), 6), 62)
# atan(d) = d R(w), w = 256 d^2, |d| <= 1/16
show("atan, R in Q62", *remez(lambda w: mp.atan(root(w) / 16) / (root(w) / 16) if w else mp.mpf(1), 4), 62)
print("// atan(k / 8) in Q61")
print("{" + ", ".join(str(int(mp.nint(mp.atan(mp.mpf(k) / 8) * 2**61))) for k in range(9)) + "}")
print("// pi/2, pi in Q61:", int(mp.nint(mp.pi / 2 * 2**61)), int(mp.nint(mp.pi * 2**61)))
turns = int(mp.floor(2**256 / (2 * mp.pi)))
print("// 1 / (2 pi), 256 bits:", ", ".join(f"0x{(turns >> (192 - 64 * i)) & (2**64 - 1):016x}" for i in range(4)))
print("// 2^96 / (2 pi):", hex(int(mp.floor(2**96 / (2 * mp.pi)))))
