/** How long to wait before a link is dialled again. A router that others have lost too is left in peace for longer. */
import type { DialBackoff } from '../config/link-config.ts'

/** The wait after another failure; `before` is the one after the last, zero for none. */
export function nextLinkDelay(before: number, options: DialBackoff, random: () => number): number {
  const { minRetryInterval, maxRetryInterval, retryBackoffFactor } = options
  const factor = Math.max(1, retryBackoffFactor + random() - 0.5)
  return Math.min(maxRetryInterval, Math.max(minRetryInterval, before * factor))
}
