import { whyNoChromium } from '@dramaturg/test-servers';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compile, createHost, lowdbStore, understudyPorts } from 'dramaturg';
import { dramaturg, examples, folderWith } from '../command.ts';
import { greeted, json, newStore, reaches, Running, serve, until } from '../host-cli/processes.ts';
import { opened, overlaps } from './browser.ts';
import { inspecting, lit, said, step } from './inspecting.ts';

const ferry = fileURLToPath(
  new URL('../../../formats/npc/test/fixtures/ferry/ferry.npc.json', import.meta.url),
);

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('the page follows a conversation, sends messages to it and highlights its states', async () => {
    const store = await newStore();
    await serve(store);
    await greeted(store, 'intake-1');
    const page = await opened(await inspecting('--attach', store, '--allow-send'));
    await expect.poll(() => page.locator('.status').innerText()).toBe('live');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Learn Name']);
    await page.getByPlaceholder('Write a message').fill('Maria');
    await page.keyboard.press('Enter');
    await expect.poll(() => said(page).allInnerTexts()).toContain('Maria');
    await expect.poll(() => said(page).last().innerText()).toBe('What is your account number?');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Identify Customer']);
    await dramaturg(['send', store, 'intake-1', 'What is your account number?']);
    await expect.poll(() => said(page).count()).toBe(5);
    await dramaturg(['send', store, 'intake-1', '4711-B']);
    await expect.poll(() => said(page).last().innerText()).toContain('What kind of issue');
    await page.getByRole('tab', { name: 'Context' }).click();
    await expect
      .poll(() => page.locator('.dg-deliverables dd').allInnerTexts())
      .toEqual(['Maria', '4711-B']);
    await page.getByRole('tab', { name: 'Timers' }).click();
    await expect.poll(() => page.locator('.timers dd').innerText()).toMatch(/^in \d+ min \d+ s/);
    await page.getByRole('tab', { name: 'Calls' }).click();
    await page.locator('.calls summary').first().click();
    await expect.poll(() => page.locator('.calls').innerText()).toContain('What kind of issue');
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect.poll(() => page.locator('.source li[aria-current]').count()).toBe(1);
    await expect
      .poll(() => page.locator('.source li[data-lit]').allInnerTexts())
      .toContain('          "id": "classify",');
  });

  test('the page steps through a run, compares steps, explains them and forks without changing the record', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    await dramaturg(['send', store, 'intake-1', 'Maria']);
    const journal = await json(['logs', store, 'intake-1', '--journal']);
    const page = await opened(await inspecting(store, '--allow-send'));
    await expect.poll(() => step(page).innerText()).toContain('Step 5 of 5');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Identify Customer']);
    await page.keyboard.press('c');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => step(page).innerText()).toContain('Step 2 of 5');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Learn Name']);
    await expect.poll(() => page.locator('.dg-arrow-line').count()).toBeGreaterThan(5);
    expect(await said(page).allInnerTexts()).toHaveLength(1);
    await page.getByRole('tab', { name: 'Context' }).click();
    await expect
      .poll(() => page.locator('.changes h3').first().innerText())
      .toMatch(/changed since step 5/i);
    expect(await page.locator('.change-list').innerText()).toContain('customer_name');
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: 'Why' }).click();
    await expect
      .poll(() => page.locator('.why .headline').first().innerText())
      .toBe('Stays in Customer Intake: account_number and issue_type are missing');
    await page.locator('.why summary', { hasText: 'of the machine' }).first().click();
    await page.locator('.why summary', { hasText: 'hasData' }).first().click();
    const guard = page.locator('.why li', { hasText: 'hasData' }).first();
    expect(await guard.innerText()).toMatch(
      /no\s+hasData[\s\S]*account_number[\s\S]*deliverables/i,
    );
    await page.locator('h1').click();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('button', { name: 'Fork here' }).click();
    await expect.poll(() => page.url()).toMatch(/#intake-1-step-2$/);
    const fork = decodeURIComponent(new URL(page.url()).hash.slice(1));
    await expect.poll(() => page.locator('.runs .row-name').allInnerTexts()).toContain(fork);
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Learn Name']);
    await page.getByRole('tab', { name: 'Talk' }).click();
    await page.getByPlaceholder('Write a message').fill('Ada');
    await page.keyboard.press('Enter');
    await expect.poll(() => said(page).last().innerText()).toBe('What is your account number?');
    expect(await json(['logs', store, 'intake-1', '--journal'])).toEqual(journal);
    await reaches(store, fork, 'WAITING_FOR_REPLY');
  });

  test('a person makes a decision on the page with a name and a reason', async () => {
    const folder = await folderWith({
      'release.asl.json': JSON.stringify({
        StartAt: 'Ask',
        States: {
          Ask: {
            Type: 'Approval',
            Prompt: 'Does it go out?',
            Editable: { Fields: ['$.title'] },
            Policy: { Approvers: { Users: ['ana'] }, RequireReason: true },
            ResultPath: '$.review',
            End: true,
          },
        },
      }),
    });
    const store = join(folder, 'store');
    const start = [
      'start',
      store,
      'release.asl.json',
      '--id',
      'r',
      '--input',
      '{"title":"Spring"}',
    ];
    await dramaturg(start, { cwd: folder });
    const page = await opened(await inspecting(store, '--allow-send'));
    const approve = page.locator('.dg-decision button', { hasText: 'approve' });
    await approve.click();
    await expect
      .poll(() => page.locator('.dg-refused').innerText())
      .toBe('The decision must say in "by" who made it.');
    await page.getByLabel('Your name').fill('ana');
    await page.getByLabel('Why').fill('It is time');
    await page.getByLabel('title').fill('Summer');
    await approve.click();
    await expect.poll(() => page.locator('.dg-decision').count()).toBe(0);
    await page.close();
    const journal = JSON.stringify(await json(['logs', store, 'r', '--journal']));
    for (const part of ['"by":"ana"', '"comment":"It is time"', '"title":"Summer"'])
      expect(journal).toContain(part);
  });

  test('a page waits when its host is killed and continues with the next host', async () => {
    const store = await newStore();
    const host = await serve(store);
    await greeted(store, 'intake-1');
    const page = await opened(await inspecting('--attach', store));
    await expect.poll(() => page.locator('.status').innerText()).toBe('live');
    await host.end('SIGKILL');
    await expect.poll(() => page.locator('.status').innerText()).toContain('The host has stopped');
    expect(await said(page).count()).toBe(1);
    await serve(store);
    await expect.poll(() => page.locator('.status').innerText()).toBe('live');
    await dramaturg(['send', store, 'intake-1', 'Maria']);
    await expect.poll(() => said(page).last().innerText()).toBe('What is your account number?');
    // The inspector was started without permission to send.
    expect(await page.getByPlaceholder('Write a message').count()).toBe(0);
  });

  test('the chart of each format is drawn without overlaps', async () => {
    const store = await newStore();
    const definitions = [
      ['customer-intake.plan.json'],
      ['order.asl.json', '--input', 'order.json', '--agents', 'agents.mjs'],
      ['check-in.context-graph.yaml'],
      ['parcel.lifecycle.json'],
      [ferry],
    ];
    const ids: string[] = [];
    for (const [definition = '', ...more] of definitions) {
      const id = basename(definition).split('.')[0]!;
      ids.push(id);
      const started = await dramaturg([
        'start',
        store,
        definition,
        '--id',
        id,
        '--within',
        '2000',
        ...more,
      ]);
      expect(started).toMatchObject({ code: 0 });
    }
    const page = await opened(await inspecting(store));
    for (const id of ids) {
      await page.locator('.runs .row-name', { hasText: id }).click();
      await expect.poll(() => page.url()).toContain(`#${id}`);
      await page.locator('.dg-statechart[data-status=done]').waitFor();
      await expect.poll(() => lit(page).count()).toBeGreaterThan(0);
      for (const isFull of [false, true]) {
        await page.getByLabel('every node').setChecked(isFull);
        await page.waitForTimeout(400);
        // The layout may still be moving.
        await expect.poll(async () => [id, await overlaps(page)]).toEqual([id, []]);
      }
      await page.getByLabel('every node').setChecked(false);
    }
  });

  test('a long run is loaded in parts', async () => {
    const store = await newStore();
    const text = readFileSync(`${examples}/customer-intake.plan.json`, 'utf8');
    const host = await createHost({
      store: lowdbStore(store, { fsync: 'never' }),
      definitions: { intake: compile(text, { fileName: 'intake.plan.json' }) },
      ports: understudyPorts(),
      channels: { main: { deliver: () => {} } },
    });
    await host.start('intake', { id: 'long', contact: 'ada' });
    for (let count = 0; count < 300; count += 1) {
      await host.settle();
      await host.receive({ contact: 'ada', text: `Well, ${count}` });
    }
    await host.settle();
    await host.stop();
    const page = await opened(await inspecting(store));
    const atEnd = /^Step (\d+) of \1\n/;
    await expect.poll(() => step(page).innerText()).toMatch(atEnd);
    let parts = 1;
    for (;;) {
      await page.getByRole('slider').press('Home');
      await expect.poll(() => step(page).innerText()).not.toMatch(atEnd);
      if ((await step(page).innerText()).startsWith('Step 1 of')) break;
      parts += 1;
      await page.getByRole('button', { name: 'Earlier' }).click();
      await expect.poll(() => step(page).innerText()).toMatch(atEnd);
    }
    expect(parts).toBeGreaterThan(1);
    expect((await said(page).allInnerTexts()).join('')).not.toContain('Well');
    await page.getByRole('button', { name: 'Last' }).click();
    await expect.poll(() => said(page).allInnerTexts()).toContain('Well, 299');
  });

  test('the page works by keyboard, in dark and light colours', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    const url = await inspecting(store);
    const backgrounds = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await opened(url, { colorScheme });
      await expect.poll(() => step(page).innerText()).toContain('Step 2 of 2');
      backgrounds.push(
        await page.evaluate(
          () => getComputedStyle(document.body.querySelector('header')!).backgroundColor,
        ),
      );
      await page.getByRole('tab', { name: 'Talk' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => page.locator('[role=tab]:focus').innerText()).toBe('Why');
      expect(await page.locator('.why').count()).toBe(1);
      await page.getByRole('slider').focus();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => step(page).innerText()).toContain('Step 1 of 2');
      const reached = new Set<string>();
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        reached.add(
          await page.evaluate(
            () =>
              document.activeElement?.getAttribute('aria-label') ??
              document.activeElement?.textContent ??
              '',
          ),
        );
      }
      for (const name of ['Forward', 'Last', 'Sequence of events'])
        expect([...reached].join('\n')).toContain(name);
      await page.getByRole('button', { name: 'Colours: auto' }).click();
      await page.reload();
      await expect.poll(() => page.getByRole('button', { name: 'Colours: light' }).count()).toBe(1);
    }
    expect(new Set(backgrounds).size).toBe(2);
  });

  test('the page shows a run in the terminal with its current line, and sends messages to it', async () => {
    const run = new Running([
      'run',
      'customer-intake.plan.json',
      '--script',
      'customer-intake.transcript',
      '--inspect',
      '--no-open',
      '--allow-send',
    ]);
    await until(() => run.stderr.includes('stays open until Ctrl+C'));
    const [url = ''] = /http:\S+/.exec(run.stderr) ?? [];
    const page = await opened(url);
    await expect.poll(() => said(page).allInnerTexts()).toContain('Hello, I am Maria');
    await expect.poll(() => page.locator('.dg-state[data-light]').count()).toBeGreaterThan(0);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect.poll(() => page.locator('.source li[data-lit]').count()).toBeGreaterThan(0);
    expect(await run.end('SIGINT')).toBe(0);
  });

  test('the page decides approvals of a workflow in the terminal and of its nested workflow in any order', async () => {
    const approval = (Prompt: string) => ({
      StartAt: Prompt,
      States: { [Prompt]: { Type: 'Approval', Prompt, End: true } },
    });
    const within = { Type: 'Task', Agent: 'workflow:within', End: true };
    const folder = await folderWith({
      'both.asl.json': JSON.stringify({
        StartAt: 'Both',
        States: {
          Both: {
            Type: 'Parallel',
            Branches: [approval('Outside'), { StartAt: 'Run', States: { Run: within } }],
            End: true,
          },
        },
      }),
      'within.asl.json': JSON.stringify(approval('Inside')),
    });
    const run = new Running([
      'run',
      join(folder, 'both.asl.json'),
      '--inspect',
      '--no-open',
      '--allow-send',
    ]);
    await run.says('Outside');
    await until(() => run.stderr.includes('http:'));
    const page = await opened(/http:\S+/.exec(run.stderr)![0]);
    await expect
      .poll(() => page.locator('.actors .row-name').allInnerTexts())
      .toEqual(['workflow', 'within']);
    const approve = (prompt: string) =>
      page.locator('.dg-decision', { hasText: prompt }).getByRole('button', { name: 'approve' });
    await approve('Inside').click();
    await expect.poll(() => page.locator('.dg-decision').count()).toBe(1);
    await approve('Outside').click();
    await run.says('succeeded');
    expect(await run.end('SIGINT')).toBe(0);
  });
});

test('inspect explains what it cannot show', async () => {
  expect(await dramaturg(['inspect'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The store is missing.') as string,
  });
  expect(await dramaturg(['inspect', 'nowhere', '--no-open'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no store "nowhere".') as string,
  });
});
