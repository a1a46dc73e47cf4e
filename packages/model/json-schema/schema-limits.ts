/**
 * What a user's schema may cost.
 *
 * A schema is compiled once and then run on every config of its type, on the event loop. The first group bounds what is
 * kept in memory, the second what one validation may do: a step is a few dozen nanoseconds, so the whole budget is in
 * the order of a tenth of a second, and an ordinary config needs some hundred steps.
 */
export const schemaLimits = {
  textBytes: 256 * 1024,
  depth: 64,
  values: 10_000,
  patternLength: 1_000,
  patternWeight: 20_000,

  steps: 2_000_000,
  nesting: 1_000,
} as const
