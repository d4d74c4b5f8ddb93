//! DOM snapshots in, state identities and a state-transition graph out
