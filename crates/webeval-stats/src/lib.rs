//! Scores, leaderboards and agreement statistics
