import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
// oxlint-disable import/no-unassigned-import -- Importing styles is only an effect.
import '@dramaturg/react/styles.css';
import './styles/base.css';
import './styles/list.css';
import './styles/conversation.css';
import './styles/side.css';
import './styles/narrow.css';
// oxlint-enable import/no-unassigned-import
import { App } from './app.tsx';
import { wording } from './wording.ts';

document.documentElement.lang = wording.locale;

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
