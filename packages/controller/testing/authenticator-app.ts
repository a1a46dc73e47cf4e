/** The app on somebody's phone, enrolled through the API. It never shows a code twice, because each is good once. */
import assert from 'node:assert/strict'
import { totpCode } from '../auth/totp.ts'
import type { PasswordUser } from './password-user.ts'
import type { TestController } from './test-controller.ts'

const MFA = '/current-identity/mfa'
const STEP_MILLISECONDS = 30_000
/** How many steps off the present the server accepts. */
const STEPS_EITHER_SIDE = 2

export class AuthenticatorApp {
  readonly recoveryCodes: readonly string[]
  readonly #seed: Buffer
  #lastStep = 0

  private constructor(seed: Buffer, recoveryCodes: readonly string[]) {
    this.#seed = seed
    this.recoveryCodes = recoveryCodes
  }

  /** A second factor for somebody, verified by the first of the app's codes. */
  static async enroll(controller: TestController, { token }: PasswordUser): Promise<AuthenticatorApp> {
    await controller.ask({ method: 'POST', path: MFA, token })
    const { json } = await controller.ask({ path: MFA, token })
    const seed = fromBase32(new URL(json.data.provisioningUrl).searchParams.get('secret') ?? '')
    const app = new AuthenticatorApp(seed, json.data.recoveryCodes)
    const body = { code: app.code() }
    const { status, text } = await controller.ask({ method: 'POST', path: `${MFA}/verify`, token, body })
    assert.equal(status, 200, text)
    return app
  }

  /** Of the oldest step that is accepted and has not been shown; five are, of those around any moment. */
  code(): string {
    const present = Math.floor(Date.now() / STEP_MILLISECONDS)
    // One step is left for the clock to move on before the code is used.
    const step = Math.max(present - STEPS_EITHER_SIDE + 1, this.#lastStep + 1)
    assert.ok(step <= present + STEPS_EITHER_SIDE, 'too many codes were asked for at once')
    this.#lastStep = step
    return totpCode(this.#seed, step)
  }
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}
