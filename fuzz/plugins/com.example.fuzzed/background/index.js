// The plugin that the fuzzer calls: its routes answer, fail and stay silent.
let settings = {};

const echo = {
  description: 'The request',
  handler: ({method, url, params, query, headers, body}, res) =>
    res.json({method, url, params, query, headers, body, settings}),
};

const fail = {
  description: 'Fails',
  handler: () => {
    throw new Error('as it was asked to');
  },
};

module.exports = {
  onStart: ({va_user}) => console.log(`started for ${va_user.firstName}`),
  onSettingsUpdate: changed => {
    settings = changed;
  },
  routes: {
    get: {echo, fail, silent: {description: 'Never answers', handler: () => {}}},
    post: {echo, fail},
  },
};
