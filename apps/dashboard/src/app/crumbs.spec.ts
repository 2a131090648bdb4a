import { expect, test } from '@jest/globals';
import { crumbsOf } from './crumbs.ts';

test.each([
  ['/', []],
  ['/send', ['Message app']],
  ['/sends/1', ['Message app', 'Sends /sends']],
  ['/sms-templates', ['Message app']],
  ['/templates/new', ['Message app', 'Templates /templates']],
  ['/verification/configs/add', ['Message app', 'Verification /verification']],
  ['/webhooks', ['Message app', 'Utility Manager']],
  ['/webhooks/1/edit', ['Message app', 'Utility Manager', 'DLR Push Configuration /webhooks']],
  ['/deliveries/1', ['Message app', 'Utility Manager', 'DLR Push Configuration /webhooks']],
  ['/users', ['Message app', 'Utility Manager']],
  ['/queues/dlr', ['Operations', 'Queues /queues']],
  ['/profile', []],
  ['/nowhere', []],
])('the page at %s is below %j', (path, expected) => {
  const crumbs = crumbsOf(path);

  expect(crumbs.map(({ label, to }) => (to === undefined ? label : `${label} ${to}`))).toEqual(expected);
});
