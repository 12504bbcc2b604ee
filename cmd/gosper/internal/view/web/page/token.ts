// The secret that a server may want.

/** The token comes after # once and is then kept out of sight, so that a copied address does not carry it. */
export function takeToken(): string {
  const found = /(?:^#|&)token=([^&]*)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem("token", decodeURIComponent(found[1]!));
    history.replaceState(null, "", location.pathname + location.hash.replace(found[0], found[0].startsWith("#") ? "#" : ""));
  }
  return sessionStorage.getItem("token") ?? "";
}
