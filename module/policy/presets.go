package policy

import "github.com/request-guard/guard/builtin"

// findPreset returns the preset of a name, or nil.
func findPreset(name string) *builtin.Preset {
	for i := range builtin.Presets {
		if builtin.Presets[i].Name == name {
			return &builtin.Presets[i]
		}
	}
	return nil
}

// expandPresets replaces the names of presets in a list of networks by their networks.
func expandPresets(entries []any) []any {
	expanded := make([]any, 0, len(entries))
	for _, entry := range entries {
		name, _ := entry.(string)
		preset := findPreset(name)
		if preset == nil {
			expanded = append(expanded, entry)
			continue
		}
		for _, network := range preset.Networks {
			expanded = append(expanded, network)
		}
	}
	return expanded
}
