import { whyNoChromium } from '@dramaturg/test-servers';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachmentFolder } from 'dramaturg';
import { firstWord } from '../../../../.config/first-word.ts';
import { said, visiting, write } from './browser.ts';
import { served, speaking } from './stage.ts';

const slow = 'This reply is made slowly, word by word.';

/** Starts the process that serves. @returns its URL, once it answers */
async function serving(store: string, port: string): Promise<{ child: ChildProcess; url: string }> {
  const script = fileURLToPath(new URL('serving-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, store, port], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, url: await firstWord(child) };
}

describe.skipIf(whyNoChromium() !== undefined)('the page', () => {
  test('a visitor talks, the reply is streamed, and a reload in its middle goes on with it', async () => {
    const { url } = await served({}, { ports: speaking(slow, 200) });
    const page = await (await visiting()).open(url);
    await write(page, 'Hello');

    await expect.poll(() => page.locator('.draft .bubble').innerText()).toContain('This reply');
    await page.reload();
    await expect.poll(() => page.locator('.draft .bubble').innerText()).toContain('This reply');
    await expect.poll(() => said(page)).toEqual(['Hello', slow]);

    await page.reload();
    await expect.poll(() => said(page)).toEqual(['Hello', slow]);
    expect(await page.locator('.draft').count()).toBe(0);
  });

  test('a service that is killed in the middle of a reply goes on, and nothing is lost or doubled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-web-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = join(folder, 'data.db');
    const { child, url } = await serving(store, '0');
    const page = await (await visiting()).open(`${url}/channels/web/`);
    await write(page, 'Hello');
    await expect.poll(() => page.locator('.draft .bubble').innerText()).toContain('slowly');
    child.kill('SIGKILL');

    await expect.poll(() => page.locator('.connection').innerText()).toMatch(/Connection lost/);
    await write(page, 'Are you there?');
    await expect.poll(() => page.locator('.meta').allInnerTexts()).toContain('Waiting to be sent');
    await serving(store, new URL(url).port);

    const reply = 'This reply is made slowly, word by word, so that it can be interrupted.';
    // The second message is sent before the end of the first reply, or after it.
    await expect
      .poll(async () => (await said(page)).toSorted())
      .toEqual(['Are you there?', 'Hello', reply, reply]);
    expect(await page.locator('.connection').isVisible()).toBe(false);
  });

  test('messages that are written offline are sent in their order, also after a reload', async () => {
    const { url, host } = await served();
    const { context, open } = await visiting();
    const page = await open(url);
    await write(page, 'Hello');
    await expect.poll(() => said(page)).toHaveLength(2);
    await context.setOffline(true);
    await expect.poll(() => page.locator('.connection').innerText()).toMatch(/You are offline/);
    for (const text of ['One', 'Two', 'Three']) await write(page, text);
    await expect
      .poll(() => page.locator('.meta').allInnerTexts())
      .toEqual(expect.arrayContaining(['Waiting to be sent']));

    await context.setOffline(false);
    await page.reload();

    const written = async () => {
      const [conversation] = (await host.list()).items;
      const lines = await host.transcript(conversation!.id, { from: 0, limit: 100 });
      return lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
    };
    await expect.poll(written).toEqual(['Hello', 'One', 'Two', 'Three']);
    await expect
      .poll(async () => (await said(page)).filter((text) => /^(Hello|One|Two|Three)$/.test(text)))
      .toEqual(['Hello', 'One', 'Two', 'Three']);
  });

  test('two tabs of a visitor show the same conversation, and another visitor does not', async () => {
    const { url } = await served({}, { ports: speaking('Good morning.') });
    const { open } = await visiting();
    const [one, two] = [await open(url), await open(url)];
    const other = await (await visiting()).open(url);
    // Both tabs have the visitor of the first one.
    await two.reload();
    await write(one, 'From the first tab');
    await expect.poll(() => said(two)).toEqual(['From the first tab', 'Good morning.']);
    await write(two, 'From the second tab');

    const all = ['From the first tab', 'Good morning.', 'From the second tab', 'Good morning.'];
    await expect.poll(() => said(one)).toEqual(all);
    await expect.poll(() => said(two)).toEqual(all);
    expect(await said(other)).toEqual([]);
  });

  test('texts of the conversation are never markup, and only addresses of the web are links', async () => {
    const text =
      '<img src=x onerror=alert(1)> javascript:alert(1) see https://example.com/a_(b) and http://example.com/x.';
    const { url } = await served({}, { ports: speaking(text) });
    const page = await (await visiting()).open(url);
    await write(page, '<b>bold</b>');

    await expect.poll(() => said(page)).toEqual(['<b>bold</b>', text]);
    const links = page.locator('.bubble a');
    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
      'https://example.com/a_(b)',
      'http://example.com/x',
    ]);
    expect(await links.first().getAttribute('rel')).toContain('noopener');
    expect(await page.locator('.bubble img, .bubble b').count()).toBe(0);
  });

  test('replies have bold, italics, lists, links and code, and no other markup', async () => {
    const text = [
      '## Prices',
      '**Two** _guests_, see [the list](https://example.com/list) or https://example.com:',
      '- one `a * b`\n- two',
      '3. three',
      '```\n**as written**\n```',
      '[no](javascript:alert(1)) ![no](https://example.com/x.png) <b onclick=alert(1)>no</b>',
    ].join('\n\n');
    const { url } = await served({}, { ports: speaking(text) });
    const page = await (await visiting()).open(url);
    await write(page, '**Hello**');

    await expect.poll(async () => (await said(page)).length).toBe(2);
    expect(await page.locator('.visitor .bubble').innerHTML()).toBe('**Hello**');
    const html = await page.locator('.agent .bubble').innerHTML();
    expect(html.replaceAll(/ (target|rel)="[^"]*"/g, '')).toBe(
      [
        '<p><strong>Prices</strong></p>',
        '<p><strong>Two</strong> <em>guests</em>, see <a href="https://example.com/list">the list</a> or ',
        '<a href="https://example.com">https://example.com</a>:</p>',
        '<ul><li>one <code>a * b</code></li><li>two</li></ul><ol start="3"><li>three</li></ol>',
        '<pre><code>**as written**</code></pre>',
        '<p>[no](javascript:alert(1)) ![no](https://example.com/x.png) ',
        '&lt;b onclick=alert(1)&gt;no&lt;/b&gt;</p>',
      ].join(''),
    );
  });

  test('the visitor learns that a person answers, who has answered, and that the conversation has ended', async () => {
    const { url, host } = await served();
    const page = await (await visiting()).open(url);
    await write(page, 'Hello');
    await expect.poll(() => said(page)).toHaveLength(2);
    const [{ id }] = (await host.list()).items as unknown as [{ id: string }];

    await host.pause(id);
    const notice = page.locator('.notice');
    await expect.poll(() => notice.innerText()).toMatch(/A person will answer/);
    await host.intervene(id, 'This is Maria.');
    await expect.poll(() => page.locator('.person .author').innerText()).toBe('Team');
    await host.cancel(id);
    await expect.poll(() => notice.innerText()).toMatch(/This conversation has ended/);
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await page.keyboard.type('Once more');
    await page.keyboard.press('Enter');

    await expect.poll(async () => (await said(page)).includes('Once more')).toBe(true);
    await expect.poll(() => notice.isVisible()).toBe(false);
  });

  test('a message that is too long is not sent, one too many waits, and a refused one can be sent again', async () => {
    const { url } = await served({ messagesPerMinute: 20 }, { ports: speaking('Yes.') });
    const page = await (await visiting()).open(url);
    await page.getByPlaceholder('Write a message').fill('x'.repeat(10_003));
    expect(await page.locator('.count').innerText()).toBe('3 characters too many');
    await page.keyboard.press('Enter');
    expect(await said(page)).toEqual([]);
    await page.getByPlaceholder('Write a message').fill('');

    await page.route('**/messages', (route) =>
      route.fulfill({ status: 409, body: JSON.stringify({ code: 'x', detail: 'Refused.' }) }),
    );
    await write(page, 'First');
    await expect.poll(() => page.locator('.failed .meta').innerText()).toMatch(/Not sent/);
    await page.unroute('**/messages');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => said(page)).toEqual(['First', 'Yes.']);

    for (let number = 1; number <= 10; number += 1) await write(page, `${number}`);
    await expect.poll(() => page.locator('.notice').innerText()).toMatch(/You write faster/);
    await expect
      .poll(async () => (await said(page)).filter((text) => /^\d+$/.test(text)))
      .toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}`));
  });

  test('a visitor edits her message by keyboard: it is a new one that names the first, also in another tab', async () => {
    const { url, host } = await served({}, { ports: speaking('Yes.') });
    const { open } = await visiting();
    const [page, other] = [await open(url), await open(url)];
    await other.reload();
    await write(page, 'Two guests');
    await expect.poll(() => said(page)).toEqual(['Two guests', 'Yes.']);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('What I was writing');

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.editing').innerText()).toMatch(/Editing your message/);
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('What I was writing');
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Two guests');
    await page.keyboard.press('Enter');
    expect(await said(page)).toEqual(['Two guests', 'Yes.']);

    const edited = async (text: string) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await field.fill(text);
      await page.keyboard.press('Enter');
      expect(await field.inputValue()).toBe('What I was writing');
      await expect.poll(async () => (await said(page)).at(-2)).toBe(text);
      await expect.poll(async () => (await said(page)).at(-1)).toBe('Yes.');
    };
    await edited('Three guests');
    await edited('Four guests');

    const all = ['Two guests', 'Yes.', 'Three guests', 'Yes.', 'Four guests', 'Yes.'];
    for (const tab of [page, other]) {
      await expect.poll(() => said(tab)).toEqual(all);
      expect(await tab.locator('.replaced .bubble').allInnerTexts()).toEqual(
        all.filter((text) => /Two|Three/.test(text)),
      );
      expect(await tab.getByRole('button', { name: 'Edit' }).count()).toBe(1);
    }
    const [conversation] = (await host.list()).items;
    const lines = await host.transcript(conversation!.id, { from: 0, limit: 100 });
    const own = lines.filter(({ role }) => role === 'contact');
    expect(own.map(({ data }) => data?.['replaces'])).toEqual([undefined, own[0]!.id, own[0]!.id]);
    await host.cancel(conversation!.id);
    await expect.poll(() => page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  });

  test('a visitor sends files by keyboard and by pasting, and those that are too large are not sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-web-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { url } = await served(
      {},
      { ports: speaking('Yes.'), attachments: { place: attachmentFolder(folder) } },
    );
    const page = await (await visiting()).open(url);
    const choose = async (name: string, bytes: Buffer) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).focus();
      await page.keyboard.press('Enter');
      await (await chooser).setFiles([{ name, mimeType: 'application/pdf', buffer: bytes }]);
    };
    const chosen = () => page.locator('.chosen li').allInnerTexts();
    await choose('large.pdf', Buffer.alloc(10_000_001));
    await expect
      .poll(() => page.locator('.count').innerText())
      .toMatch(/At most 20 files with 10 MB/);
    await choose('letter.pdf', Buffer.from('%PDF-letter'));
    await choose('wrong.pdf', Buffer.from('%PDF-wrong'));
    await expect.poll(chosen).toEqual(['letter.pdf', 'wrong.pdf']);
    await page.getByRole('button', { name: 'Remove wrong.pdf' }).click();
    await page.getByPlaceholder('Write a message').evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['MZ'], 'tool.exe'));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    });
    await expect.poll(chosen).toEqual(['letter.pdf', 'tool.exe']);
    await page.keyboard.press('Enter');

    await expect.poll(() => said(page)).toEqual(['[letter.pdf, tool.exe]', 'Yes.']);
    const files = ['letter.pdf', 'tool.exe was not accepted'];
    expect(await page.locator('.row .attachment').allInnerTexts()).toEqual(files);
    expect(await chosen()).toEqual([]);
    await page.reload();
    await expect.poll(() => page.locator('.row .attachment').allInnerTexts()).toEqual(files);
  });

  test('an edit that is made offline is sent once, after a reload', async () => {
    const { url, host } = await served({}, { ports: speaking('Yes.') });
    const { context, open } = await visiting();
    const page = await open(url);
    await write(page, 'Two guests');
    await expect.poll(() => said(page)).toEqual(['Two guests', 'Yes.']);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Edit' }).click();
    await write(page, 'Three guests');
    await expect.poll(() => said(page)).toEqual(['Two guests', 'Yes.', 'Three guests']);

    await context.setOffline(false);
    await page.reload();

    const all = ['Two guests', 'Yes.', 'Three guests', 'Yes.'];
    await expect.poll(() => said(page)).toEqual(all);
    const [conversation] = (await host.list()).items;
    const lines = await host.transcript(conversation!.id, { from: 0, limit: 100 });
    const texts = lines.filter(({ role }) => role !== 'system').map(({ text }) => text);
    expect(texts).toEqual(all);
  });

  test('a chat that was not found for a while is there again', async () => {
    const { url } = await served({}, { ports: speaking('Yes.') });
    const page = await (await visiting()).open(url);
    await write(page, 'Hello');
    await expect.poll(() => said(page)).toEqual(['Hello', 'Yes.']);
    await page.route(/stream|messages/, (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.reload();
    await expect.poll(() => page.locator('.connection').innerText()).toMatch(/not available/);
    await write(page, 'Again');
    await page.unroute(/stream|messages/);

    await expect.poll(() => said(page)).toEqual(['Hello', 'Yes.', 'Again', 'Yes.']);
    expect(await page.locator('.connection').isVisible()).toBe(false);
  });

  test('the agent speaks first in a chat that greets', async () => {
    const { url } = await served({ greet: true }, { ports: speaking('Welcome!') });
    const { open } = await visiting();
    const page = await open(url);
    await expect.poll(() => said(page)).toEqual(['Welcome!']);
    await page.reload();
    await expect.poll(() => said(page)).toEqual(['Welcome!']);
  });
});
