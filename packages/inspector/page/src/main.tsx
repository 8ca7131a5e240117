import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
// oxlint-disable import/no-unassigned-import -- Styles are nothing but an effect.
import '@dramaturg/react/styles.css';
import './styles.css';
// oxlint-enable import/no-unassigned-import
import { App } from './app.tsx';
import { Connection } from './data/connection.ts';

// The token is now in a cookie. In the address it would end up in histories and screenshots.
history.replaceState(null, '', `${location.pathname}${location.hash}`);

const connection = new Connection();
void connection.start();

createRoot(document.querySelector('#root')!, {
  // The page shows the error in place of the panel.
  onCaughtError: () => {},
}).render(
  <StrictMode>
    <App connection={connection} />
  </StrictMode>,
);
