{
  description = "Gosper: cellular automata as machine code on CPUs and GPUs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "gosper";
          version = self.shortRev or "dirty";
          src = self;
          # Of the modules in go.sum; go test ./release -update, in packaging, writes it anew.
          vendorHash = "sha256-p6K7FlS8P9gtOq35WBNzEsixToYi4ywxTZ6akXNp3wY=";
          subPackages = [ "cmd/gosper" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X github.com/gosper-life/gosper/internal/result.release=${self.shortRev or "dirty"}" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/gosper man --out man
            installManPage man/*.1
            for shell in bash zsh fish; do $out/bin/gosper completion $shell > gosper.$shell; done
            installShellCompletion gosper.{bash,zsh,fish}
          '';
          doCheck = false; # the gate of the repository does
          meta = {
            homepage = "https://github.com/gosper-life/gosper";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "gosper";
          };
        };
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell { packages = [ pkgs.go pkgs.tmux ]; };
      });
    };
}
