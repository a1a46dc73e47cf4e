import {
  duration,
  hour,
  integer,
  oneOf,
  optional,
  section,
  subsection,
  text,
  withDefault,
} from '@weft/model/config-file'
import { type LogLevel, logLevels } from '../log/log-level.ts'
import type { LogFormat } from '../log/logger.ts'

const formats: readonly LogFormat[] = ['json', 'text']

/** What OpenZiti's file has no key for. Its controllers ignore the section. */
export const weftSection = section({
  keys: {
    journal: subsection(
      section({
        keys: {
          maxAge: withDefault(duration({ min: hour }), 2_160 * hour, 'How long changes stay in the journal.'),
          maxSize: optional(
            integer({ min: 1_048_576 }),
            'How many bytes of changes stay in the journal; the oldest go first. Unlimited when absent.',
          ),
        },
      }),
      'What is kept of past changes.',
    ),
    log: subsection(
      section({
        keys: {
          level: withDefault(oneOf(Object.keys(logLevels) as LogLevel[]), 'info', 'The least important lines written.'),
          format: optional(oneOf(formats), 'How lines look: text on a terminal, json elsewhere when absent.'),
        },
      }),
      'Logs; flags of the command win.',
    ),
    secretsKeyFile: optional(
      text(),
      'The file with the key that TOTP seeds are encrypted under; `secrets.key` beside the database when absent.',
    ),
  },
})
