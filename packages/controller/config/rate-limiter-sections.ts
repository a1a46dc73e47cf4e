import {
  decimal,
  duration,
  type Findings,
  flag,
  integer,
  optional,
  second,
  section,
  withDefault,
} from '@weft/model/config-file'

interface WindowDraft {
  readonly minSize?: number
  readonly maxSize?: number
}

function windowIsOrdered(draft: WindowDraft, findings: Findings): void {
  const { minSize, maxSize } = draft
  if (minSize === undefined || maxSize === undefined || minSize <= maxSize) return
  findings.problem(draft, 'minSize', `wanted at most maxSize, which is ${maxSize}, found ${minSize}`)
}

/** How many logins may be under way at once: a window that shrinks when answers cannot be delivered. */
export const authRateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), true, 'Whether logins are limited.'),
    minSize: withDefault(integer({ min: 5, max: 1_000 }), 5, 'The smallest window.'),
    maxSize: withDefault(integer({ min: 5, max: 1_000 }), 250, 'The largest window, with which it starts.'),
    timeout: withDefault(duration(), 30 * second, 'Accepted; a login always ends by itself.'),
  },
  check: windowIsOrdered,
})

/** How many TLS handshakes may be under way at once. */
export const handshakeRateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), false, 'Whether handshakes are limited.'),
    minSize: withDefault(integer({ min: 5, max: 10_000 }), 5, 'The smallest window.'),
    maxSize: withDefault(integer({ min: 5, max: 10_000 }), 2_500, 'The largest window, with which it starts.'),
    timeout: optional(
      duration(),
      'When an unfinished handshake counts as failed; `handshakeTimeout` and 2s when absent.',
    ),
    successThreshold: withDefault(decimal({ min: 0, max: 1 }), 0.9, 'Above this part of successes the window grows.'),
    increaseFactor: withDefault(decimal({ min: 1 }), 1.02, 'By how much it grows.'),
    decreaseFactor: withDefault(decimal({ min: 0, max: 1 }), 0.9, 'By how much it shrinks; neither 0 nor 1.'),
    increaseCheckInterval: withDefault(integer({ min: 1 }), 10, 'Successes between two looks at growing.'),
    decreaseCheckInterval: withDefault(integer({ min: 1 }), 10, 'Failures between two looks at shrinking.'),
  },
  check(draft, findings) {
    windowIsOrdered(draft, findings)
    if (draft.decreaseFactor === 0 || draft.decreaseFactor === 1) {
      findings.problem(draft, 'decreaseFactor', `wanted a number between 0 and 1, found ${draft.decreaseFactor}`)
    }
  },
})

/** How many changes may wait for the writer. */
export const commandRateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), true, 'Whether the queue of changes is bounded.'),
    maxQueued: withDefault(
      integer({ min: 10, max: 2 ** 32 - 1 }),
      100,
      'Changes that may wait; further ones are answered with "too many requests".',
    ),
  },
})
