//! How many tasks it takes to tell two models apart.

use crate::error::{StatsError, finite, in_range};
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;
use statrs::function::gamma::ln_gamma;

/// The largest number of tasks [`tasks_to_separate`] looks at.
pub const MAX_TASKS: usize = 10_000_000;

/// The smallest number of tasks at which a two-sided paired t-test finds a difference.
///
/// `effect` is the mean of the per-task differences over their standard deviation (sample),
/// `alpha` the accepted chance of finding a difference that is not there, `power` the wanted chance
/// of finding one that is. Power is exact, by the noncentral t distribution: see [`paired_power`].
///
/// ```
/// // The textbook case: half a deviation, 5 %, 80 %.
/// assert_eq!(webeval_stats::power::tasks_to_separate(0.5, 0.05, 0.8)?, 34);
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
///
/// # Errors
/// `alpha` or `power` outside [0.000001, 0.999999], an effect that is not finite, or one so small
/// that more than [`MAX_TASKS`] would be needed (0 among them).
pub fn tasks_to_separate(effect: f64, alpha: f64, power: f64) -> Result<usize, StatsError> {
    in_range("a power", power, 1e-6, 1.0 - 1e-6)?;
    let enough = |n: usize| paired_power(effect, n, alpha).map(|p| p >= power);
    let mut high = 2;
    while !enough(high)? {
        high *= 2;
        if high > MAX_TASKS {
            return Err(StatsError::Undefined {
                what: "a number of tasks",
                why: "the effect is too small to find with ten million tasks",
            });
        }
    }
    let mut low = (high / 2).max(1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// Power of a two-sided paired t-test with `n` ≥ 2 tasks: `P(|T| > t₁₋α/₂)`, T noncentral with
/// n − 1 degrees of freedom and noncentrality `effect · √n`.
///
/// # Errors
/// `alpha` outside [0.000001, 0.999999], fewer than two tasks, or an effect that is not finite.
pub fn paired_power(effect: f64, n: usize, alpha: f64) -> Result<f64, StatsError> {
    in_range("a significance level", alpha, 1e-6, 1.0 - 1e-6)?;
    crate::error::at_least("a paired t-test", 2, n)?;
    let shift = finite("an effect", effect)?.abs() * (n as f64).sqrt();
    let nu = (n - 1) as f64;
    let critical = student_critical(nu, alpha);
    // T = (Z + shift) / S with S = sqrt(chi2 / nu) independent of Z: given S = s, T exceeds the
    // critical value when Z > critical * s − shift.
    let beyond = |s: f64| upper(critical * s - shift) + upper(critical * s + shift);
    Ok(chi_expectation(nu, beyond).clamp(0.0, 1.0))
}

/// The t that Student's distribution exceeds in magnitude with probability `alpha`, by bisection.
fn student_critical(nu: f64, alpha: f64) -> f64 {
    let beyond = |t: f64| beta_reg(nu / 2.0, 0.5, nu / (nu + t * t));
    let (mut low, mut high) = (0.0, 1.0);
    while beyond(high) > alpha {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-14 * high {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if beyond(middle) > alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Upper tail of the standard normal distribution.
fn upper(z: f64) -> f64 {
    erfc(z / 2f64.sqrt()) / 2.0
}

/// The mean of `f(S)`, S = √(χ²_ν / ν), by Simpson's rule over where S has its mass.
fn chi_expectation(nu: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 4_000;
    let width = 12.0 / (2.0 * nu).sqrt();
    let (from, to) = ((1.0 - width).max(0.0), 1.0 + width);
    let step = (to - from) / STEPS as f64;
    // Density of S: 2 (ν/2)^(ν/2) s^(ν−1) e^(−ν s²/2) / Γ(ν/2).
    let log_scale = 2f64.ln() + nu / 2.0 * (nu / 2.0).ln() - ln_gamma(nu / 2.0);
    let density = |s: f64| {
        if s == 0.0 && nu > 1.0 {
            0.0
        } else if s == 0.0 {
            log_scale.exp()
        } else {
            (log_scale + (nu - 1.0) * s.ln() - nu * s * s / 2.0).exp()
        }
    };
    let (mut mean, mut mass) = (0.0, 0.0);
    for i in 0..=STEPS {
        let weight = match i {
            0 | STEPS => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let s = from + step * i as f64;
        let share = weight * density(s);
        mass += share;
        mean += share * f(s);
    }
    // Dividing by the mass found cancels the rounding of ln Γ, which grows with ν.
    mean / mass
}
