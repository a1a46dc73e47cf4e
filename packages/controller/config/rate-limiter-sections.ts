import { duration, flag, integer, optional, second, section, withDefault } from '@weft/model/config-file'
import { adaptiveWindowKeys, checkAdaptiveWindow } from '@weft/model/config-sections'

/** How many logins may be under way at once: a window that shrinks when answers cannot be delivered. */
export const authRateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), true, 'Whether logins are limited.'),
    minSize: withDefault(integer({ min: 5, max: 1_000 }), 5, 'The smallest window.'),
    maxSize: withDefault(integer({ min: 5, max: 1_000 }), 250, 'The largest window, with which it starts.'),
    timeout: withDefault(duration(), 30 * second, 'Accepted; a login always ends by itself.'),
  },
  check: checkAdaptiveWindow,
})

/** How many TLS handshakes may be under way at once. */
export const handshakeRateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), false, 'Whether handshakes are limited.'),
    minSize: withDefault(integer({ min: 5, max: 10_000 }), 5, 'The smallest window.'),
    maxSize: withDefault(integer({ min: 5, max: 10_000 }), 2_500, 'The largest window, with which it starts.'),
    timeout: optional(
      duration(),
      'Accepted; a handshake that is not finished within `handshakeTimeout` counts as failed.',
    ),
    ...adaptiveWindowKeys,
  },
  check: checkAdaptiveWindow,
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
