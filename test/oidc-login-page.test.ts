/** People sign in to an application through the pages of the OIDC provider, in a real browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ApiClient } from './kit/api-client.ts'
import { noBrowser, TestBrowser } from './kit/browser.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { enrolledPassword } from './kit/enrolled.ts'
import { OidcApplication, tokensOf } from './kit/oidc-application.ts'
import { totpCode } from './kit/totp.ts'

const limits = { timeout: 60_000 }
const phone = { viewport: { width: 320, height: 568 } }
const HALF_A_MINUTE = 30_000
/** No code ever has a 1 among letters. */
const wrongCode = 'WRONG1'
const password = 'correct horse'

let controller: ControllerProcess
let admin: ApiClient
let browser: TestBrowser
let application: OidcApplication

describe('the login page', { skip: noBrowser, ...limits }, () => {
  const parts = new AsyncDisposableStack()
  before(async () => {
    controller = parts.use(await ControllerProcess.start())
    admin = parts.use(await ApiClient.login(controller))
    application = parts.use(await OidcApplication.start(controller))
    browser = parts.use(await TestBrowser.start())
  })
  after(() => parts.disposeAsync())

  test('lets a person in by name and password, by keyboard alone, and out again', limits, async () => {
    await enrolledPassword(admin, 'paula', password)
    const page = await browser.open()
    const problems = watchProblems(page)
    const begun = application.begin()
    await page.goto(begun.url)
    assert.equal(await page.title(), 'Sign in')
    await typeInto(page, 'User name', 'paula')
    await page.keyboard.press('Tab')
    await typeInto(page, 'Password', 'wrong horse')
    await page.keyboard.press('Enter')
    await assertProblem(page, 'The user name or the password is wrong.')
    assert.equal(await page.getByLabel('User name').inputValue(), 'paula')
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    await typeInto(page, 'Password', password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/auth\/callback/)
    assert.equal(await page.title(), 'The application')
    assert.deepEqual(problems, [])

    const first = await application.redeem(begun)
    assert.equal((await application.currentIdentity(first)).status, 200)
    const second = tokensOf(await application.refresh(first))
    assert.equal((await application.currentIdentity(second)).status, 200)
    const oidc = { postLogoutUris: [application.logoutUri] }
    await admin.create('controller-settings', { controllerId: 'default', oidc })
    await page.goto(application.logoutUrl(second, 'until next time'))
    assert.equal(application.takeVisit('/goodbye').get('state'), 'until next time')
    assert.equal((await application.currentIdentity(second)).status, 401)
    assert.equal((await application.refresh(second)).status, 400)
  })

  test('asks for the code of a second factor, and takes none that is wrong', limits, async () => {
    const seed = await enrollSecondFactor('theodor')
    const page = await browser.open()
    const begun = application.begin()
    await page.goto(begun.url)
    await signIn(page, 'theodor')
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await typeInto(page, 'Code', wrongCode)
    await page.keyboard.press('Enter')
    await assertProblem(page, 'That code is not right.')
    await typeInto(page, 'Code', totpCode(seed, Date.now() + HALF_A_MINUTE))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/auth\/callback/)
    const { access_token } = await application.redeem(begun)
    const { amr } = JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString('utf8'))
    assert.deepEqual(amr, ['password', 'totp'])
  })

  test('works on a small screen and without scripts, up to setting up a second factor', limits, async () => {
    await enrolledPassword(admin, 'selma', password)
    await requireSecondFactor('selma')
    const page = await browser.open({ ...phone, javaScriptEnabled: false })
    const begun = application.begin()
    await page.goto(begun.url)
    await assertFits(page)
    await signIn(page, 'selma')
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await assertFits(page)
    const seed = (await page.locator('#seed').textContent())!
    await page.getByLabel('Code').fill(wrongCode)
    await page.getByRole('button', { name: 'Finish' }).click()
    await assertProblem(page, 'That code is not right.')
    assert.equal(await page.locator('#seed').textContent(), seed)
    await page.getByLabel('Code').fill(totpCode(seed))
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.waitForURL(/\/auth\/callback/)
    assert.equal((await application.currentIdentity(await application.redeem(begun))).status, 200)
  })

  test('says so when a sign-in cannot go on, and repeats nothing as HTML', limits, async () => {
    const page = await browser.open()
    await page.goto(application.begin().url)
    await page.getByLabel('User name').fill('"><img src=x>')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await assertProblem(page, 'The user name or the password is wrong.')
    assert.equal(await page.getByLabel('User name').inputValue(), '"><img src=x>')
    assert.equal(await page.locator('img').count(), 0)
    await page.goto(`${controller.url}/oidc/login/username?authRequestID=nothing-of-that-name`)
    await signIn(page, 'paula')
    await page.getByRole('heading', { name: 'This sign-in cannot go on' }).waitFor()
    await assertProblem(page, 'This sign-in has expired or was finished already.')
  })
})

/** Types where the keyboard is: in the field of that label, as soon as the page has put it there. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function assertProblem(page: Page, text: string): Promise<void> {
  assert.equal(await page.getByRole('alert').textContent(), text)
}

/** What the browser complains about, except for refusals, which it notes as well: a policy that forbids the page's own parts. */
function watchProblems(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 401')) problems.push(message.text())
  })
  return problems
}

/** Everything stands within the width of the screen. */
async function assertFits(page: Page): Promise<void> {
  for (const element of await page.locator('main, input:not([type=hidden]), button, img, li').all()) {
    const { x, width } = (await element.boundingBox())!
    assert.ok(x >= 0 && x + width <= phone.viewport.width, `something reaches from ${x} to ${x + width}`)
  }
}

/** Somebody with a verified second factor; answers its seed. */
async function enrollSecondFactor(username: string): Promise<string> {
  await enrolledPassword(admin, username, password)
  using own = await ApiClient.login(controller, { username, password })
  assert.equal((await own.post('/current-identity/mfa')).status, 201)
  const { provisioningUrl } = await own.detail('/current-identity/mfa')
  const seed = new URL(String(provisioningUrl)).searchParams.get('secret')!
  assert.equal((await own.post('/current-identity/mfa/verify', { code: totpCode(seed) })).status, 200)
  return seed
}

async function requireSecondFactor(name: string): Promise<void> {
  const { primary } = (await admin.detail('/auth-policies/default')) as { primary: unknown }
  const secondary = { requireTotp: true, requireExtJwtSigner: null }
  const authPolicyId = await admin.create('auth-policies', { name: `strict for ${name}`, primary, secondary })
  const [identity] = await admin.list('/identities', `name = "${name}"`)
  assert.equal((await admin.patch(`/identities/${identity!['id']}`, { authPolicyId })).status, 200)
}
