"""What benchmarks/behaviour.py looks at: classes as people write them, goals of plans, calls of the command line.

Main declarations
    CLASSES     Python texts of classes that are planned
    MEASURED    … of those whose dimensions are found at once
    GOALS       what plans are asked for
    BAD_PLANS   plans that are refused
    FILES       the files that calls read
    CALLS       calls of ``privpac``, as they are typed after its name; {0} is a fresh folder with FILES in it
    DRAWN       what stands in calls whose answers depend on chance; in all others one rule is all but certain
"""

from __future__ import annotations

ON = 'pp.Thresholds(0, 99).on("a")', 'pp.Thresholds(0, 9, direction="either").on("b")', 'pp.Points().on("c")'
TREE = '{"J10": "J", "J11": "J", "J": "ICD", "K": "ICD", "K20": "K"}'
SMALL = (
    "pp.Thresholds(0, 9)",
    'pp.Thresholds(0, 9, direction="below")',
    'pp.Thresholds(0, 9, direction="either")',
    "pp.Intervals(0, 9)",
    "pp.Points(5)",
    "pp.RootPaths('/', height=3)",
    "pp.StartsWith(height=3)",
    f"pp.Taxonomy({TREE})",
    f'pp.Taxonomy({TREE}, kind="subtree")',
    "pp.TwoSided(0, 9, center=4)",
    "pp.Spider(bits=2)",
    "pp.HalfPlanes(3)",
    "pp.CentralHalfPlanes(-2, 2)",
    "pp.HalfSpaces(1, 9)",
    "pp.HalfSpaces(3, 2)",
    "pp.Rectangles(0, 9, 1)",
    "pp.Rectangles(0, 3, 2)",
    "pp.Conjunctions(3)",
    "pp.Conjunctions(3, monotone=True)",
    "pp.Parities(3)",
    "pp.Parities(3, affine=True)",
    "pp.AffineSubspaces(p=3, n=2, dim=1)",
    "pp.SparseSets(2)",
    "pp.ExplicitClass([[0, 0, 1], [0, 1, 1]])",
    "pp.ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]])",
    "pp.ExplicitClass([[1]])",
    "pp.dual(pp.ExplicitClass([[0, 0, 1], [0, 1, 1]]))",
)
LARGE = (
    "pp.Thresholds(0, 999)",
    "pp.Thresholds(0, 2**64 - 1)",
    'pp.Thresholds(0, 2**64 - 1, direction="either")',
    "pp.Thresholds(-1.0, 1.0)",
    'pp.Thresholds(kind="float64")',
    'pp.Thresholds(kind="date")',
    'pp.Thresholds(kind="datetime")',
    'pp.Thresholds(kind="string")',
    "pp.Thresholds(date(2026, 1, 1), date(2026, 12, 31))",
    'pp.Thresholds(Decimal("0.00"), Decimal("99.99"))',
    'pp.Thresholds("A00", "Z99")',
    "pp.Intervals(0, 999)",
    "pp.Intervals(0, 2**64 - 1)",
    "pp.Intervals(-1.0, 1.0)",
    "pp.Points()",
    "pp.Points(1000)",
    "pp.Points(2**64)",
    "pp.RootPaths()",
    "pp.RootPaths('/', height=32)",
    "pp.StartsWith()",
    "pp.StartsWith(height=7)",
    "pp.TwoSided(0, 2**32, center=2**31)",
    "pp.Spider()",
    "pp.HalfPlanes(10)",
    "pp.HalfPlanes(2**10)",
    "pp.HalfSpaces(3, 2**10)",
    "pp.HalfSpaces(2, 100)",
    "pp.CentralHalfPlanes(-10, 10)",
    "pp.CentralHalfPlanes(0, 2**16, center=(7, 9))",
    "pp.Rectangles(0, 99, 2)",
    "pp.Rectangles(0, 2**32, 2)",
    "pp.Rectangles(0, 9, 3)",
    "pp.Conjunctions(10)",
    "pp.Parities(10)",
    "pp.Parities(100)",
    "pp.AffineSubspaces(p=2, n=256, dim=3)",
)
COMPOSED = (
    f"pp.And({ON[0]}, {ON[1]})",
    f"pp.Or({ON[0]}, {ON[1]})",
    f"pp.Xor({ON[0]}, {ON[1]})",
    f"pp.Not({ON[0]})",
    f"pp.Majority({ON[0]}, {ON[1]}, pp.Intervals(0, 9).on('d'))",
    f"pp.And({ON[0]}, {ON[2]})",
    f"pp.Or({ON[1]}, {ON[2]})",
    f"pp.And({ON[0]}, {ON[1]}, {ON[2]})",
    f"pp.Compose(lambda x, y: x and not y, {ON[0]}, {ON[1]})",
    f"pp.Union({ON[0]}, {ON[1]})",
    "pp.Union(pp.Thresholds(0, 2**64 - 1).on(0), pp.Thresholds(0, 9).on(1))",
    "pp.And(pp.Thresholds(0, 2**64 - 1).on(0), pp.Points().on(1))",
    "pp.And(pp.Thresholds(kind='date').on(0), pp.Intervals(0, 999).on(1))",
    "pp.Or(pp.Conjunctions(2), pp.Conjunctions(2))",
    "pp.Xor(pp.Parities(3), pp.Parities(3))",
)
CLASSES = (*SMALL, *LARGE, *COMPOSED)
LONG = ("pp.AffineSubspaces(p=2, n=256, dim=3)", "pp.Conjunctions(10)", "pp.Rectangles(0, 9, 3)")  # to search
MEASURED = (*SMALL, *(text for text in LARGE if text not in LONG))
EXPLICIT = (  # small enough for every search, duals included
    *(f"{text}.materialize()" for text in SMALL if not text.startswith(("pp.Points", "pp.Root", "pp.Starts", "pp.Sp"))),
    "pp.Points(5).materialize('abcde')",
    "pp.SparseSets(2).materialize('abcd')",
    "pp.RootPaths('/').materialize(['/', '/a', '/a/b', '/c'])",
    "pp.StartsWith().materialize(['', 'a', 'ab', 'b'])",
    "pp.Spider(bits=1).materialize([('g', 0), ('g', 1), ('h', 0), ('h', 1)])",
    "pp.And(pp.Thresholds(0, 3).on(0), pp.Thresholds(0, 3).on(1)).materialize([(0, 0), (1, 3), (2, 1), (3, 3)])",
)
GOALS = tuple(
    {"alpha": α, "beta": β, "epsilon": ε, "delta": δ, "regime": regime}
    for α, β, ε, δ in ((0.1, 0.05, 1, 1e-6), (0.05, 0.01, 0.5, 1e-9), (0.2, 0.1, 3, 0))
    for regime in ("agnostic", "realizable")
) + tuple(
    {"beta": 0.05, "epsilon": 1, "delta": 1e-6, "regime": regime, "n": n}
    for regime in ("agnostic", "realizable")
    for n in (300, 20_000)
)
BAD_PLANS = (
    '"thresholds"',
    "pp.Thresholds(0, 9), alpha=0",
    "pp.Thresholds(0, 9), alpha=1",
    "pp.Thresholds(0, 9), alpha='x'",
    "pp.Thresholds(0, 9), beta=2",
    "pp.Thresholds(0, 9), epsilon=0",
    "pp.Thresholds(0, 9), epsilon=-1",
    "pp.Thresholds(0, 9), delta=1",
    "pp.Thresholds(0, 9), delta=-1e-9",
    "pp.Thresholds(0, 9), regime='noisy'",
    "pp.Thresholds(0, 9), n=0",
    "pp.Thresholds(0, 9), n=2.5",
    "pp.Thresholds(0, 9), n=True",
    "pp.Points(), delta=0, n=100",
)

_ROWS = [(i * 37 % 100, ("EV", "UA", "B6")[i % 3], i // 3, f"2026-{i % 12 + 1:02}-15") for i in range(900)]
FILES = {
    "late.csv": "delay,carrier,person,day,late,word,ev,both\n"
    + "".join(
        f"{d},{c},{p},{t},{int(d >= 37)},{'no' if d < 37 else 'yes'},{int(c == 'EV')},{int(d >= 37 and c == 'EV')}\n"
        for d, c, p, t in _ROWS
    ),
    "plane.csv": "width,height,big\n"
    + "".join(f"{i % 10},{i // 10 % 10},{int(i % 10 > i // 10 % 10)}\n" for i in range(1000)),
    "holes.csv": "delay,late\n" + "12,0\n,1\n2000,1\nx,0\n80,1\n" * 100,
    "empty.csv": "delay,late\n",
    "rules.csv": "child,adult,senior\n0,0,1\n0,1,1\n",
    "tree.csv": "concept,a,b,c\nnone,0,0,0\none,1,0,0\ntwo,1,1,0\nthree,0,0,1\n",
    "ragged.csv": "a,b\n0,1\n0\n",
    "parents.csv": "name,parent\nJ10,J\nJ11,J\nJ,ICD\n",
    "folders.csv": "path,kept\n" + "/usr,1\n/usr/lib,1\n/var,0\n/,1\n/usr/lib/x,0\n" * 120,
    "ages.csv": "age,pays\n" + "child,0\nadult,1\nsenior,1\n" * 200,
    "notes.txt": "nothing\n",
    "broken.json": '{"privpac model": 1}',
    "rules.json": '{"points": ["a", "b"], "concepts": ["c", "d"], "matrix": ["01", "11"]}',
}
_LEARN = "learn {0}/late.csv --x delay --y late --class thresholds --low 0 --high 99 --epsilon 20 --delta 1e-9"
_PLAN = "--alpha 0.1 --beta 0.05 --epsilon 1 --delta 1e-6 --json"
CALLS = (
    # the program
    "--version", "--help", "", "nonsense", "learn --help", "plan --help", "predict --help", "dimension --help",
    "audit --help", "budget --help", "demo --help", "budget create --help",
    # dimension
    "dimension {0}/rules.csv", "dimension {0}/rules.csv --json", "dimension {0}/tree.csv --json --witness",
    "dimension {0}/tree.csv --witness", "dimension {0}/rules.json --json",
    "dimension {0}/tree.csv --what vc,littlestone",
    "dimension {0}/tree.csv --what nothing", "dimension {0}/ragged.csv", "dimension {0}/missing.csv",
    "dimension {0}/tree.csv --tree-order {0}/order.svg --mistake-tree {0}/tree.svg --json",
    "dimension {0}/tree.csv --tree-order {0}/tree.csv", "dimension {0}/tree.csv --time-limit -1",
    # plan
    *(
        f"plan --class {text} {_PLAN}"
        for text in (
            "thresholds --low 0 --high 999", "thresholds --low 0 --high 2^64-1 --regime realizable",
            "thresholds --kind date --direction either", "intervals --low 0 --high 999", "points", "points --size 100",
            "root-paths --height 5", "starts-with --separator ''", "taxonomy --parents {0}/parents.csv",
            "taxonomy --parents {0}/parents.csv --kind subtree", "spider --bits 8", "half-planes --side 2^8",
            "central-half-planes --low -9 --high 9 --centre 1,2", "half-spaces --dim 3 --side 10",
            "rectangles --low 0 --high 9 --dim 2", "explicit --matrix {0}/rules.csv",
            "and --part 'delay thresholds 0 999' --part 'carrier points'",
            "or --part 'a thresholds 0 9 below' --part 'b intervals 0 9'",
            "majority --part 'a thresholds 0 9' --part 'b intervals 0 9' --part 'c thresholds 0 1'",
            "points --n 5000", "thresholds --low 0 --high 9 --n 100",
            # refused
            "intervals", "nonsense", "points --low 3", "thresholds --low 9 --high 0", "thresholds --low 0 --high A",
            "half-planes --side x", "and --part 'delay thresholds 0 999'", "and --part delay --part carrier",
            "thresholds --low 0 --high 9 --kind colour", "thresholds --low 0 --high 9 --n 0", "spider",
            "taxonomy --parents {0}/missing.csv", "explicit --matrix {0}/ragged.csv", "points --regime noisy",
        )
    ),
    "plan --class points --alpha 2", "plan --class points --epsilon 0", "plan --class points --delta 1",
    "plan --class thresholds --low 0 --high 99 --plot {0}/plan.svg --delta 1e-6",
    "plan --class thresholds --low 0 --high 999 --published --delta 1e-6", "plan --low 0 --high 9",
    # learn
    f"{_LEARN} --json", _LEARN, f"{_LEARN} --json --report-error", f"{_LEARN} --out {{0}}/model.json --json",
    f"{_LEARN} --report {{0}}/page.html --out {{0}}/other.json", f"{_LEARN} --unit person --max-records 3 --json",
    f"{_LEARN} --method PureThresholdLearner --json", f"{_LEARN} --method ThresholdLearner --json",
    f"{_LEARN} --regime realizable --json", f"{_LEARN} --seed 5 --json", f"{_LEARN} --alpha 0.05 --beta 0.01 --json",
    "learn {0}/late.csv --x delay --y word --classes no,yes --class intervals --low 0 --high 99 --epsilon 20 --json",
    "learn {0}/late.csv --x carrier --y ev --class points --epsilon 20 --delta 1e-9 --json --out {0}/points.json",
    "learn {0}/late.csv --x day --y late --class thresholds --kind date --epsilon 20 --delta 1e-9 --json",
    "learn {0}/late.csv --y both --class and --part 'delay thresholds 0 99' --part 'carrier points' --epsilon 20 "
    "--delta 1e-9 --json --out {0}/and.json",
    "learn {0}/plane.csv --x width --x height --y big --class half-planes --side 10 --epsilon 20 --json",
    "learn {0}/plane.csv --x width,height --y big --class rectangles --low 0 --high 9 --dim 2 --epsilon 20 --json",
    "learn {0}/folders.csv --x path --y kept --class root-paths --epsilon 20 --delta 1e-9 --json",
    "learn {0}/ages.csv --x age --y pays --class explicit --matrix {0}/rules.csv --epsilon 20 --json",
    "learn {0}/holes.csv --x delay --y late --class thresholds --low 0 --high 99 --on-invalid clamp --epsilon 20 "
    "--delta 1e-9 --json --out {0}/clamp.json",
    "learn {0}/holes.csv --x delay --y late --class thresholds --low 0 --high 99 --on-invalid default --epsilon 20 "
    "--delta 1e-9 --json --out {0}/default.json",
    # learn, refused
    "learn {0}/holes.csv --x delay --y late --class thresholds --low 0 --high 99",
    "learn {0}/empty.csv --x delay --y late --class thresholds --low 0 --high 99",
    "learn {0}/missing.csv --x delay --y late --class thresholds --low 0 --high 99",
    "learn {0}/notes.txt --x delay --y late --class thresholds --low 0 --high 99",
    f"{_LEARN} --classes 0", f"{_LEARN} --classes a,b", f"{_LEARN} --unit person", f"{_LEARN} --max-records 3",
    f"{_LEARN} --method Nobody", f"{_LEARN} --on-invalid guess", f"{_LEARN} --regime noisy", f"{_LEARN} --alpha 0",
    f"{_LEARN} --x carrier", f"{_LEARN} --out {{0}}/late.csv", f"{_LEARN} --out {{0}}/no/model.json",
    f"{_LEARN} --budget nowhere", f"{_LEARN} --budget sqlite:///{{0}}/none.db#clinic",
    "learn {0}/late.csv --y late --class thresholds --low 0 --high 99", "learn {0}/late.csv --class points --x carrier",
    "learn {0}/late.csv --x delay --y nothing --class thresholds --low 0 --high 99",
    "learn {0}/late.csv --x nothing --y late --class thresholds --low 0 --high 99",
    "learn {0}/plane.csv --x width --y big --class half-planes --side 10",
    "learn {0}/late.csv --x delay --y late --class and --part 'delay thresholds 0 9' --part 'carrier points'",
    # predict
    "predict {0}/model.json {0}/late.csv --json", "predict {0}/model.json {0}/late.csv --out {0}/said.csv",
    "predict {0}/points.json {0}/late.csv", "predict {0}/and.json {0}/late.csv --json",
    "predict {0}/clamp.json {0}/holes.csv --json", "predict {0}/default.json {0}/holes.csv",
    "predict {0}/model.json {0}/holes.csv --json", "predict {0}/model.json {0}/plane.csv",
    "predict {0}/broken.json {0}/late.csv", "predict {0}/missing.json {0}/late.csv",
    "predict {0}/late.csv {0}/late.csv",
    "predict {0}/model.json {0}/missing.csv", "predict {0}/model.json {0}/late.csv --out {0}/model.json",
    # budget
    "budget create clinic --epsilon 45 --delta 1e-6 --store sqlite:///{0}/budget.db --json",
    "budget create clinic --epsilon 45 --store sqlite:///{0}/budget.db",
    "budget create other --epsilon -1 --store sqlite:///{0}/budget.db",
    "budget create other --epsilon x --store sqlite:///{0}/budget.db",
    f"{_LEARN} --budget sqlite:///{{0}}/budget.db#clinic --json", f"{_LEARN} --budget sqlite:///{{0}}/budget.db#clinic",
    f"{_LEARN} --budget sqlite:///{{0}}/budget.db#clinic", f"{_LEARN} --budget sqlite:///{{0}}/budget.db#nobody",
    "budget show --store sqlite:///{0}/budget.db --json", "budget show clinic --store sqlite:///{0}/budget.db",
    "budget show nobody --store sqlite:///{0}/budget.db",
    "budget history clinic --store sqlite:///{0}/budget.db --json",
    "budget history nobody --store sqlite:///{0}/budget.db", "budget show --store nonsense",
    # audit and demo
    "audit stability-histogram --json", "audit FiniteLearner --json", "audit nobody", "audit 'discrete Laplace'",
    "audit geometric --sampled --runs 200 --json", "audit --controls --json", "audit geometric --sampled --runs 1",
    "demo --report {0}/demo.html --out {0}/demo.json --json", "demo --report {0}/no/demo.html",
)  # fmt: skip
DRAWN = ("demo", "--sampled", "--x day", "rectangles --low 0 --high 9 --dim 2 --epsilon 20", "--on-invalid clamp")
DRAWN += ("--on-invalid default", "clamp.json", "default.json", "--seed")
