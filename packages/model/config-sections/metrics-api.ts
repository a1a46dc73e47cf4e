import { flag, optional, section, text, withDefault } from '../config-file/index.ts'

/** The options of the API that serves metrics in Prometheus' format. */
export const metricsApiSection = section({
  keys: {
    scrapeCert: optional(text(), 'The certificate of the only client that may read; everyone may when absent.'),
    includeTimestamps: withDefault(flag(), false, 'Adds to each value when it was measured.'),
  },
})
