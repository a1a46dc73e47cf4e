/** The levels a line can have, and the threshold each stands for. */
export const logLevels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50 } as const

export type LogLevel = keyof typeof logLevels

export function isLogLevel(text: string): text is LogLevel {
  return Object.hasOwn(logLevels, text)
}
