"""An online tree at the end of a River pipeline, tested on each row before learning it.

Loan applications of River's Agrawal generator, decided by age and level of education.
Scaled values are numbers and are cut at quantiles; whole numbers (level of education,
car, zip code) are categories. A tree of ours and one of River's learn the same rows:

    python examples/stream_pipeline.py
"""

from river import compose, evaluate, metrics, preprocessing, tree
from river.datasets import synth

from treeproof.stream import OnlineBranchesClassifier

CATEGORIES = ("elevel", "car", "zipcode")
N_ROWS = 20_000


def pipeline(classifier):
    """Scale the numbers, leave the categories as they are, then classify."""
    scaled = compose.Discard(*CATEGORIES) | preprocessing.StandardScaler()
    return (scaled + compose.Select(*CATEGORIES)) | classifier


def main():
    ours = OnlineBranchesClassifier(split_penalty=0.005, window_size=2000)
    learners = {
        "Online-BRANCHES": ours,
        "Hoeffding tree": tree.HoeffdingTreeClassifier(nominal_attributes=CATEGORIES),
    }
    for name, classifier in learners.items():
        rows = synth.Agrawal(classification_function=2, seed=42).take(N_ROWS)
        metric = evaluate.progressive_val_score(
            rows, pipeline(classifier), metrics.Accuracy()
        )
        print(f"{name}: {metric}")
    print(ours.export_text())


if __name__ == "__main__":
    main()
