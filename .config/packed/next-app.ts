import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.ts';

const files = {
  'app/layout.jsx': `import '@dramaturg/react/styles.css';
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
  'app/page.jsx': `import { readFileSync } from 'node:fs';
import { Deliverables } from '@dramaturg/react';
import { Talk } from './talk';
export default function Page() {
  const text = readFileSync('intake.plan.json', 'utf8');
  return <main><Deliverables items={[{ key: 'seen', value: 'on the server' }]} /><Talk text={text} /></main>;
}`,
  'app/talk.jsx': `'use client';
import { useMemo } from 'react';
import { compile } from '@dramaturg/compiler';
import { plan } from '@dramaturg/plan';
import { Conversation, Statechart, useConversation } from '@dramaturg/react';
export function Talk({ text }) {
  const { chart, machine } = useMemo(() => compile(text, { formats: [plan] }), [text]);
  const { values, messages, partial, turn, say } = useConversation(machine, {});
  return <><Statechart chart={chart} value={values} /><Conversation messages={messages} partial={partial} turn={turn} onSay={say} /></>;
}`,
};

/** Builds a page of Next's app router, and reads what it has rendered. @throws Error when a part is missing */
export function buildNextApp(project: string): void {
  mkdirSync(join(project, 'app'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const definition = readFileSync(join(root, 'docs/examples/customer-intake.plan.json'), 'utf8');
  writeFileSync(join(project, 'intake.plan.json'), definition);
  run('NEXT_TELEMETRY_DISABLED=1 next build', project);
  const page = readFileSync(join(project, '.next/server/app/index.html'), 'utf8');
  for (const part of ['on the server', 'Identify Customer', 'Write a message'])
    if (!page.includes(part)) throw new Error(`The page does not have "${part}".`);
}
