/** A real browser: the system's Chromium, without a window, which trusts the certificate of a controller under test. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findProgram } from '../runner/find-program.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const program = names.map((name) => findProgram(name, process.env, 'CHROMIUM_BIN')).find((found) => found !== undefined)

/** Why tests that need a browser are skipped here; false when they are not. Where tools are required, they fail instead. */
export const noBrowser: string | false =
  program === undefined && process.env.WEFT_REQUIRE_TOOLS !== '1'
    ? 'there is no Chromium here; put it on the PATH, or name it by CHROMIUM_BIN'
    : false

export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<TestBrowser> {
    if (program === undefined) throw new Error('Chromium is required here, and there is none on the PATH')
    // The sandbox does not work for root, as which containers of continuous integration run.
    const isRoot = process.getuid?.() === 0
    return new TestBrowser(await chromium.launch({ executablePath: program, chromiumSandbox: !isRoot }))
  }

  /** A page of somebody who has not been here before. */
  async open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ ignoreHTTPSErrors: true, ...options })
    context.setDefaultTimeout(15_000)
    return context.newPage()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}
