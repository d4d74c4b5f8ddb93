//! Keeping `run.json` up to date while a stage runs.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use webeval_evidence::{FailureOwner, RunDir, RunRecord, Stage, StageFailure, StageRecord, StageStatus};

use crate::failure::Failure;

/// A stage that is under way. Time spent in earlier sittings counts on.
pub(crate) struct Sitting<'a> {
    run: &'a RunDir,
    stage: Stage,
    began: Instant,
    earlier: f64,
    started_ms: u64,
}

impl<'a> Sitting<'a> {
    /// Marks the stage as running. `afresh` drops the time that earlier sittings took.
    pub(crate) fn begin(run: &'a RunDir, stage: Stage, afresh: bool) -> Result<Self, Failure> {
        let record = run.run().map_err(Failure::failed)?;
        let before = record.stages.get(&stage).filter(|_| !afresh);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let sitting = Self {
            run,
            stage,
            began: Instant::now(),
            earlier: before.map_or(0.0, |before| before.seconds),
            started_ms: before.map_or(u64::try_from(now.as_millis()).unwrap_or(u64::MAX), |before| before.started_ms),
        };
        sitting.write(StageStatus::Running, None, |_| {})?;
        Ok(sitting)
    }

    /// Marks the stage as over, and lets `change` record what it found out.
    pub(crate) fn done(self, change: impl FnOnce(&mut RunRecord)) -> Result<(), Failure> {
        self.write(StageStatus::Done, None, change)
    }

    /// Marks the stage as asked to stop.
    pub(crate) fn interrupted(self) -> Result<(), Failure> {
        self.write(StageStatus::Interrupted, None, |_| {})
    }

    /// Marks the stage as failed and gives the failure back.
    pub(crate) fn failed(self, whose: FailureOwner, failure: Failure) -> Failure {
        let record = StageFailure { message: failure.to_string(), whose };
        // The failure that is being reported matters more than one in recording it.
        if let Err(error) = self.write(StageStatus::Failed, Some(record), |_| {}) {
            tracing::warn!(%error, "the failure could not be recorded");
        }
        failure
    }

    fn write(
        &self,
        status: StageStatus,
        failure: Option<StageFailure>,
        change: impl FnOnce(&mut RunRecord),
    ) -> Result<(), Failure> {
        let mut record = self.run.run().map_err(Failure::failed)?;
        let seconds = self.earlier + self.began.elapsed().as_secs_f64();
        record.stages.insert(self.stage, StageRecord { status, started_ms: self.started_ms, seconds, failure });
        change(&mut record);
        self.run.write_run(&record).map_err(Failure::failed)
    }
}
