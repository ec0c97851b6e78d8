"""The estimators of trees, as scikit-learn knows them, and what they share."""
