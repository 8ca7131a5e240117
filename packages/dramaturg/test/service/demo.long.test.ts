import { whyNoChromium } from '@dramaturg/test-servers';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Running, until } from '../host-cli/processes.ts';
import { opened } from '../inspect/browser.ts';

interface Ready {
  readonly url: string;
  readonly inspector: string;
  readonly store: string;
}

async function startDemo(): Promise<{ readonly demo: Running; readonly ready: Ready }> {
  const demo = new Running(['demo', '--no-open', '--json']);
  await demo.says('\n');
  return { demo, ready: JSON.parse(demo.stdout) as Ready };
}

test('the demo has lively data, and deletes it at the end', async () => {
  const { demo, ready } = await startDemo();
  const idsOf = async (path: string) => {
    const { items } = (await (await fetch(ready.url + path)).json()) as {
      items: { id: string; decision?: string }[];
    };
    return items.map(({ id }) => id);
  };
  await until(async () => (await idsOf('/instances?definition=interview&ended=true')).length > 0);
  await until(async () => (await idsOf('/instances?definition=parcel')).length > 0);
  await until(async () => (await idsOf('/decisions')).length > 0);
  expect((await fetch(ready.inspector)).status).toBe(200);
  expect(existsSync(ready.store)).toBe(true);
  expect(await demo.end('SIGINT')).toBe(0);
  expect(existsSync(ready.store)).toBe(false);
  expect(demo.stderr).toBe('');
});

test.skipIf(whyNoChromium() !== undefined)('a visitor of its page makes a claim', async () => {
  const { ready } = await startDemo();
  const page = await opened(ready.url);
  const said = () => page.locator('#said li').allTextContents();
  await until(async () => (await said()).includes('What is your name?'));
  await page.getByLabel('Your message').fill('Maria Lopez');
  await page.getByRole('button', { name: 'Send' }).click();
  await until(async () => (await said()).includes('What happened?'));
  await page.reload();
  await until(async () => (await said()).length >= 3);
  expect(await said()).toEqual(['What is your name?', 'Maria Lopez', 'What happened?']);
});

test.skipIf(whyNoChromium() !== undefined)(
  'the desk and the inspector show the same data',
  async () => {
    const { ready } = await startDemo();
    const desk = await opened(`${ready.url}/desk`);
    await desk.getByLabel('Your name').fill('Ana');
    await desk.getByRole('button', { name: 'Sign in' }).click();
    // Contacts who want to talk to a person wait in the queue that the desk opens with.
    const waiting = async () => (await desk.locator('main').innerText()).includes('demo-2');
    await until(waiting);
    expect(await waiting()).toBe(true);
    const inspector = await opened(ready.inspector);
    await until(async () => (await inspector.locator('body').innerText()).includes('parcel-1'));
    await inspector.getByText('parcel-1').first().click();
    await until(async () => (await inspector.locator('body').innerText()).includes('PACKED'));
  },
);
