import { freePort, sharedRestate, whyNoRestate, whyNoChromium } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { Running } from '../host-cli/processes.ts';
import { opened, overlaps } from './browser.ts';

const missing = whyNoRestate();

/** Timeout for a browser, a page and a host. */

describe.skipIf(missing !== undefined || whyNoChromium() !== undefined)(
  `in a browser${missing ? ` (${missing})` : ''}`,
  () => {
    test('the page lists the instances on Restate, draws a chart and shows events as they happen', async () => {
      const { ingress, admin } = await sharedRestate();
      const namespace = `inspected-${process.pid}`;
      const place = ['--restate', ingress, '--restate-admin', admin, '--namespace', namespace];
      const definition = ['--definition', 'customer-intake.plan.json'];
      const listen = ['--listen', `127.0.0.1:${await freePort()}`];
      const handlers = new Running(['serve', ...place, ...listen, ...definition]);
      await handlers.says('Ctrl+C stops this process.');
      for (const id of ['first', 'second'])
        await dramaturg(['start', ...place, 'customer-intake', '--id', id, '--contact', id]);
      const inspector = new Running(['inspect', ...place, '--allow-send', '--no-open', '--json']);
      await inspector.says('"ready"');
      const { url } = JSON.parse(inspector.stdout) as { readonly url: string };
      const page = await opened(`${url}#first`);
      await expect
        .poll(() => page.locator('h1').innerText())
        .toBe(`${namespace} on Restate at ${ingress}`);
      const text = (selector: string) => page.locator(selector).allInnerTexts();
      await expect.poll(() => page.locator('.status').innerText()).toBe('live');
      await expect.poll(() => text('.runs .row-name')).toHaveLength(2);
      expect((await text('.runs .row-name')).toSorted()).toEqual(['first', 'second']);
      const lit = () => text('.dg-state[data-light=current] .dg-state-name');
      await expect.poll(lit).toEqual(['Learn Name']);
      expect(await overlaps(page)).toEqual([]);
      await dramaturg(['send', ...place, 'first', 'Ada']);
      await expect.poll(() => text('.dg-message p')).toContain('Ada');
      await expect.poll(lit).toEqual(['Identify Customer']);
      await page.getByPlaceholder('Write a message').fill('4711-B');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.locator('.dg-message p').last().innerText())
        .toContain('What kind of issue');
    });
  },
);
