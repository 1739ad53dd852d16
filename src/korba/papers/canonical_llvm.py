"""The driver of semi-canonical motion as LLVM text: the same for every mechanism and scheme.

It calls the mechanism's programs through pointers, so it is compiled once. In C it would be

    int64 run(void *F[], int64 N[], double D[], double *P[], int64 first, int64 last)
    for k = first ... last - 1:
        h = t[k+1] - t[k]
        for i = 0 ... stages - 1:
            stage = y + h (A[i,0] K_0 + ... + A[i,i-1] K_(i-1))
            count += inner(stage)                     which gives z of stage = (q, p)
            at i = 0: write down y, z
            K_i = rates(stage, z, tau, t[k] + c[i] h)
        y = y + h (b[0] K_0 + b[1] K_1 + ...), quaternions of y made unit
    at the end of the run: inner(y), write down y, z

and `inner` is the loop of quadratic_program.py, with its rules to stop. `F`, `N`, `D` and `P` hold
what the names below say, in that order.
"""

from __future__ import annotations

from ..codegen.targets.llvm.instructions import hexadecimal

FUNCTIONS = ("once", "start", "step", "rates", "forces")
"""`forces(t, q, z, tau)` is called back; it may be null."""
COUNTS = ("nq", "nv", "nx", "limit", "after", "stages", "quaternions", "steps")
NUMBERS = ("tolerance", "bound", "now")
ARRAYS = ("held", "x", "x_new", "z", "y", "stage", "K", "A", "b", "c", "tau", "t", "turns")
"""`turns` holds the places of quaternions, as whole numbers."""
RESULTS = ("ys", "zs", "counts")
NOT_CONVERGED, NOT_FINITE, FORCES_FAILED = -1, -2, -3
"""What `run` and `inner` return when they cannot go on."""

_ZERO = hexadecimal(0.0)


def _loaded(kind: str, array: str, names: tuple[str, ...]) -> str:
    """Instructions that load entries of an argument array into registers of the same names."""
    lines = []
    for i, name in enumerate(names):
        lines.append(f"%{array}.{name} = getelementptr {kind}, ptr %{array}, i64 {i}")
        lines.append(f"%{name} = load {kind}, ptr %{array}.{name}")
    return "\n".join(lines)


COMBINE = f"""
; into = of + h sum_j w[j] K_j over the first rows of K, each of n elements
define internal void @combine(ptr %into, ptr %of, ptr %K, ptr %w, double %h, i64 %rows, i64 %n) {{
entry:
br label %element
element:
%e = phi i64 [ 0, %entry ], [ %e1, %stored ]
%any = icmp sgt i64 %rows, 0
br i1 %any, label %row, label %stored
row:
%j = phi i64 [ 0, %element ], [ %j1, %row ]
%s = phi double [ {_ZERO}, %element ], [ %s1, %row ]
%w.j = getelementptr double, ptr %w, i64 %j
%weight = load double, ptr %w.j
%skip = mul i64 %j, %n
%at = add i64 %skip, %e
%K.at = getelementptr double, ptr %K, i64 %at
%slope = load double, ptr %K.at
%share = fmul contract double %weight, %slope
%s1 = fadd contract double %s, %share
%j1 = add i64 %j, 1
%more = icmp slt i64 %j1, %rows
br i1 %more, label %row, label %stored
stored:
%sum = phi double [ {_ZERO}, %element ], [ %s1, %row ]
%of.e = getelementptr double, ptr %of, i64 %e
%base = load double, ptr %of.e
%change = fmul contract double %h, %sum
%new = fadd contract double %base, %change
%into.e = getelementptr double, ptr %into, i64 %e
store double %new, ptr %into.e
%e1 = add i64 %e, 1
%again = icmp slt i64 %e1, %n
br i1 %again, label %element, label %done
done:
ret void
}}
"""

INNER = f"""
; iterations that the velocities z of (q, p) took, from the z that was there
define internal i64 @inner(ptr %F, ptr %N, ptr %D, ptr %P, ptr %q) {{
entry:
{_loaded("ptr", "F", FUNCTIONS)}
{_loaded("i64", "N", COUNTS)}
{_loaded("double", "D", NUMBERS)}
{_loaded("ptr", "P", ARRAYS)}
%p = getelementptr double, ptr %q, i64 %nq
call void %once(ptr %q, ptr %held)
call void %start(ptr %held, ptr %z, ptr %p, ptr %x)
%tail = sub i64 %nx, 3
%small = fmul double %tolerance, %tolerance
br label %iteration
iteration:
%count = phi i64 [ 0, %entry ], [ %count1, %further ]
%here = phi ptr [ %x, %entry ], [ %there, %further ]
%there = phi ptr [ %x_new, %entry ], [ %here, %further ]
%bound0 = phi double [ %bound, %entry ], [ %bound1, %further ]
%square.at = getelementptr double, ptr %here, i64 %tail
%square = load double, ptr %square.at
%travel.at = getelementptr double, ptr %square.at, i64 1
%travel = load double, ptr %travel.at
%gamma.at = getelementptr double, ptr %square.at, i64 2
%gamma = load double, ptr %gamma.at
%bound1 = call double @llvm.maxnum.f64(double %bound0, double %gamma)
%lost = fcmp uno double %square, %travel
br i1 %lost, label %infinite, label %finite
infinite:
ret i64 {NOT_FINITE}
finite:
%rest = call double @llvm.sqrt.f64(double %square)
%error = fmul double %rest, %bound1
%close = fcmp ole double %error, %tolerance
%known = fcmp ogt double %bound1, {_ZERO}
%late = icmp sge i64 %count, %after
%near0 = and i1 %close, %known
%near = and i1 %near0, %late
%exact = fcmp oeq double %square, {_ZERO}
%still = fcmp olt double %travel, %small
%end0 = or i1 %near, %exact
%end = or i1 %end0, %still
br i1 %end, label %solved, label %on
on:
%enough = icmp sge i64 %count, %limit
br i1 %enough, label %endless, label %further
endless:
ret i64 {NOT_CONVERGED}
further:
call void %step(ptr %held, ptr %here, ptr %there)
%count1 = add i64 %count, 1
br label %iteration
solved:
store double %bound1, ptr %D.bound
call void @combine(ptr %z, ptr %here, ptr %here, ptr %here, double {_ZERO}, i64 0, i64 %nv)
ret i64 %count
}}
"""

UNIT = f"""
; the quaternions of y made unit
define internal void @unit(ptr %N, ptr %P) {{
entry:
{_loaded("i64", "N", COUNTS)}
{_loaded("ptr", "P", ARRAYS)}
%any = icmp sgt i64 %quaternions, 0
br i1 %any, label %one, label %done
one:
%k = phi i64 [ 0, %entry ], [ %k1, %one ]
%turns.k = getelementptr i64, ptr %turns, i64 %k
%place = load i64, ptr %turns.k
%at = getelementptr double, ptr %y, i64 %place
%part = load <4 x double>, ptr %at, align 8
%squares = fmul <4 x double> %part, %part
%total = call double @llvm.vector.reduce.fadd.v4f64(double {_ZERO}, <4 x double> %squares)
%length = call double @llvm.sqrt.f64(double %total)
%first = insertelement <4 x double> poison, double %length, i32 0
%all = shufflevector <4 x double> %first, <4 x double> poison, <4 x i32> zeroinitializer
%made = fdiv <4 x double> %part, %all
store <4 x double> %made, ptr %at, align 8
%k1 = add i64 %k, 1
%more = icmp slt i64 %k1, %quaternions
br i1 %more, label %one, label %done
done:
ret void
}}
"""

NOTE = f"""
; write y and z down as row k
define internal void @note(ptr %N, ptr %P, ptr %R, i64 %k) {{
{_loaded("i64", "N", COUNTS)}
{_loaded("ptr", "P", ARRAYS)}
{_loaded("ptr", "R", RESULTS)}
%n = add i64 %nq, %nv
%y.row = mul i64 %k, %n
%y.at = getelementptr double, ptr %ys, i64 %y.row
call void @combine(ptr %y.at, ptr %y, ptr %y, ptr %y, double {_ZERO}, i64 0, i64 %n)
%z.row = mul i64 %k, %nv
%z.at = getelementptr double, ptr %zs, i64 %z.row
call void @combine(ptr %z.at, ptr %z, ptr %z, ptr %z, double {_ZERO}, i64 0, i64 %nv)
ret void
}}
"""

RUN = f"""
define i64 @run(ptr %F, ptr %N, ptr %D, ptr %P, ptr %R, i64 %first, i64 %last) {{
entry:
{_loaded("ptr", "F", FUNCTIONS)}
{_loaded("i64", "N", COUNTS)}
{_loaded("ptr", "P", ARRAYS)}
{_loaded("ptr", "R", RESULTS)}
%now = getelementptr double, ptr %D, i64 {NUMBERS.index("now")}
%n = add i64 %nq, %nv
br label %step.begin
step.begin:
%k = phi i64 [ %first, %entry ], [ %k1, %step.end ]
%k1 = add i64 %k, 1
%t.k = getelementptr double, ptr %t, i64 %k
%begin = load double, ptr %t.k
%t.k1 = getelementptr double, ptr %t, i64 %k1
%end = load double, ptr %t.k1
%h = fsub double %end, %begin
br label %stage.begin
stage.begin:
%i = phi i64 [ 0, %step.begin ], [ %i1, %stage.end ]
%total = phi i64 [ 0, %step.begin ], [ %total1, %stage.end ]
%i.row = mul i64 %i, %stages
%A.i = getelementptr double, ptr %A, i64 %i.row
call void @combine(ptr %stage, ptr %y, ptr %K, ptr %A.i, double %h, i64 %i, i64 %n)
%count = call i64 @inner(ptr %F, ptr %N, ptr %D, ptr %P, ptr %stage)
%failed = icmp slt i64 %count, 0
br i1 %failed, label %fail, label %solved
fail:
ret i64 %count
solved:
%total1 = add i64 %total, %count
%c.i = getelementptr double, ptr %c, i64 %i
%part = load double, ptr %c.i
%later = fmul double %part, %h
%time = fadd double %begin, %later
store double %time, ptr %now
%initial = icmp eq i64 %i, 0
br i1 %initial, label %note.begin, label %note.end
note.begin:
call void @note(ptr %N, ptr %P, ptr %R, i64 %k)
br label %note.end
note.end:
%none = icmp eq ptr %forces, null
br i1 %none, label %stage.end, label %forces.begin
forces.begin:
%status = call i64 %forces(ptr %now, ptr %stage, ptr %z, ptr %tau)
%bad = icmp ne i64 %status, 0
br i1 %bad, label %forces.fail, label %stage.end
forces.fail:
ret i64 {FORCES_FAILED}
stage.end:
%K.row = mul i64 %i, %n
%q.rate = getelementptr double, ptr %K, i64 %K.row
%p.rate = getelementptr double, ptr %q.rate, i64 %nq
call void %rates(ptr %stage, ptr %z, ptr %tau, ptr %now, ptr %q.rate, ptr %p.rate)
%i1 = add i64 %i, 1
%more.stages = icmp slt i64 %i1, %stages
br i1 %more.stages, label %stage.begin, label %step.end
step.end:
call void @combine(ptr %y, ptr %y, ptr %K, ptr %b, double %h, i64 %stages, i64 %n)
call void @unit(ptr %N, ptr %P)
%counts.k = getelementptr i64, ptr %counts, i64 %k
store i64 %total1, ptr %counts.k
%more.steps = icmp slt i64 %k1, %last
br i1 %more.steps, label %step.begin, label %done
done:
%all = icmp eq i64 %k1, %steps
br i1 %all, label %final, label %leave
final:
%final.count = call i64 @inner(ptr %F, ptr %N, ptr %D, ptr %P, ptr %y)
%final.failed = icmp slt i64 %final.count, 0
br i1 %final.failed, label %final.fail, label %final.note
final.fail:
ret i64 %final.count
final.note:
call void @note(ptr %N, ptr %P, ptr %R, i64 %k1)
br label %leave
leave:
ret i64 0
}}
"""

NEEDS = """
declare double @llvm.sqrt.f64(double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
"""

TEXT = "".join((NEEDS, COMBINE, INNER, UNIT, NOTE, RUN))
"""The whole module; its function is `run`."""
