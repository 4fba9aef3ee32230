// The module is fine until somebody asks what it exports.
const spin = () => {
  for (;;);
};
export default new Proxy(function hook() {}, { get: spin, has: spin, apply: spin });
