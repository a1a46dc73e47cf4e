import { decimal, type Findings, integer, withDefault } from '../config-file/index.ts'

interface WindowDraft {
  readonly minSize?: number
  readonly maxSize?: number
  readonly decreaseFactor?: number
}

/** How a window of work under way grows with successes and shrinks with failures. */
export const adaptiveWindowKeys = {
  successThreshold: withDefault(decimal({ min: 0, max: 1 }), 0.9, 'Above this part of successes the window grows.'),
  increaseFactor: withDefault(decimal({ min: 1 }), 1.02, 'By how much it grows.'),
  decreaseFactor: withDefault(decimal({ min: 0, max: 1 }), 0.9, 'By how much it shrinks; neither 0 nor 1.'),
  increaseCheckInterval: withDefault(integer({ min: 1 }), 10, 'Successes between two looks at growing.'),
  decreaseCheckInterval: withDefault(integer({ min: 1 }), 10, 'Failures between two looks at shrinking.'),
}

/** What must hold between the sizes and factors of a window. */
export function checkAdaptiveWindow(draft: WindowDraft, findings: Findings): void {
  const { minSize, maxSize, decreaseFactor } = draft
  if (minSize !== undefined && maxSize !== undefined && minSize > maxSize) {
    findings.problem(draft, 'minSize', `wanted at most maxSize, which is ${maxSize}, found ${minSize}`)
  }
  if (decreaseFactor === 0 || decreaseFactor === 1) {
    findings.problem(draft, 'decreaseFactor', `wanted a number between 0 and 1, found ${decreaseFactor}`)
  }
}
